#include "corpus/query/symbol_part.h"

#include "corpus/query/location.h"

#include <optional>

namespace quarry::corpus {
namespace {

void append_parts(const Collection& collection, const Location& place,
                  std::vector<SymbolPart>& parts) {
  const Snapshot& snapshot = *collection.sources()[place.source].snapshot;
  for (std::uint32_t i = 0; i < snapshot.segments().size(); ++i) {
    parts.push_back({place.source, &snapshot, i, snapshot.symbols(i), place.path});
  }
}

}  // namespace

bool SymbolPart::admits(FileId file) const {
  if (!snapshot->is_live({segment, file})) return false;
  if (path.empty()) return true;
  const std::string_view own = files().path(file);
  return own.starts_with(path) && (own.size() == path.size() || own[path.size()] == '/');
}

Result<std::vector<SymbolPart>> symbol_parts(const Collection& collection, std::string_view path) {
  const auto where = collection.resolve(path);
  if (!where) return where.error();
  std::vector<SymbolPart> parts;
  if (*where) {
    if (!exists(collection, **where)) return no_such_path(collection, **where);
    append_parts(collection, **where, parts);
    return parts;
  }
  for (std::size_t source = 0; source < collection.sources().size(); ++source) {
    append_parts(collection, {source, ""}, parts);
  }
  return parts;
}

std::vector<std::string_view> parents_of(const SymbolIndex& index, SymbolId definition) {
  const SymbolId first = index.first_definition(index.file_of(definition));
  std::vector<std::string_view> parents;
  auto at = index.record(definition);
  while (at && at->parent >= 0 && parents.size() < kMostParents) {
    at = index.record(first + static_cast<SymbolId>(at->parent));
    if (at) parents.push_back(index.name(at->name));
  }
  return parents;
}

std::string qualified_name(const std::vector<std::string_view>& parents, std::string_view name) {
  std::string out;
  for (auto parent = parents.rbegin(); parent != parents.rend(); ++parent) {
    out += *parent;
    out += '.';
  }
  return out.append(name);
}

}  // namespace quarry::corpus
