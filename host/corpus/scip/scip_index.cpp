#include "corpus/scip/scip_index.h"

#include "corpus/scip/scip_document.h"

#include <algorithm>
#include <span>

namespace quarry::corpus {
namespace {

constexpr std::string_view kTable = "scip2";

/// Larger documents are not read: what is read of them takes up to ten times the memory.
constexpr std::size_t kMostDocumentBytes = 16u << 20;

}  // namespace

std::string ScipIndex::bytes_of(std::string_view index, std::string_view problem,
                                std::string_view source) {
  TableWriter table(kTable);
  table.append(std::span<const char>(problem));
  table.append(std::span<const char>(source));
  table.append(std::span<const char>(index));
  return std::move(table).finish();
}

Status ScipIndex::load() {
  const auto problem = table_.take_whole<char>();
  if (!problem) return problem.error();
  problem_ = {problem->data(), problem->size()};
  const auto source = table_.take_whole<char>();
  if (!source) return source.error();
  source_ = {source->data(), source->size()};
  const auto bytes = table_.take_whole<char>();
  if (!bytes) return bytes.error();
  auto documents = read({bytes->data(), bytes->size()});
  if (!documents) return documents.error();
  documents_ = std::move(*documents);
  return {};
}

Status ScipIndex::check(std::string_view index) {
  const auto documents = read(index);
  return documents ? Status() : Status(documents.error());
}

Result<ScipIndex::Documents> ScipIndex::read(std::string_view index) {
  const auto all = scip_documents(index);
  if (!all) return all.error();
  Documents documents;
  for (const std::string_view document : *all) {
    if (document.size() > kMostDocumentBytes) continue;
    const auto path = scip_path(document);
    if (!path) return path.error();
    documents.emplace_back(*path, document);
  }
  // Of several with one path, the first counts.
  std::ranges::stable_sort(documents, {}, &Documents::value_type::first);
  return documents;
}

Result<std::shared_ptr<const ScipIndex>> ScipIndex::open(const std::filesystem::path& file) {
  auto table = TableFile::map(file, kTable);
  if (!table) return std::move(table).error();
  auto index = std::make_shared<ScipIndex>(std::move(*table));
  if (Status loaded = index->load(); !loaded) return std::move(loaded).error();
  return index;
}

std::string_view ScipIndex::document(std::string_view path) const {
  const auto at = std::ranges::lower_bound(documents_, path, {}, &Documents::value_type::first);
  return at != documents_.end() && at->first == path ? at->second : std::string_view();
}

}  // namespace quarry::corpus
