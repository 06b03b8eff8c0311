#include "corpus/snapshot/load.h"

#include "corpus/text/decode.h"
#include "corpus/text/private_key.h"

namespace quarry::corpus {
namespace {

LoadedFile without_text(FileKind kind, std::uint64_t size) {
  return {kind, size, {}, {}};
}

}  // namespace

LoadedFile load_file(const Beneath& root, const TreeEntry& entry, std::uint64_t limit,
                     bool skip_secrets) {
  const std::uint64_t size = entry.signature.size;
  if (entry.type == TreeEntry::Type::kLink) return without_text(FileKind::kLink, size);
  if (entry.type == TreeEntry::Type::kUnreadable) return without_text(FileKind::kUnreadable, size);
  if (size > limit) return without_text(FileKind::kTooLarge, size);
  auto bytes = root.read(entry.path, limit);
  if (!bytes) {
    const bool grew = bytes.error().code == Code::kResourceExhausted;
    return without_text(grew ? FileKind::kTooLarge : FileKind::kUnreadable, size);
  }
  std::string storage;
  const auto text = decode_file(entry.path, *bytes, storage);
  if (!text) return without_text(FileKind::kBinary, bytes->size());
  if (skip_secrets && holds_private_key(*text))
    return without_text(FileKind::kSecret, bytes->size());
  LoadedFile file{FileKind::kText, bytes->size(), {}, line_table(*text)};
  const bool untouched = text->data() == bytes->data();
  file.text = untouched ? std::move(*bytes) : std::string(*text);
  return file;
}

Result<LoadedFile> copy_file(const Segment& segment, FileId file) {
  LoadedFile copy{segment.kind(file), segment.size(file), std::string(segment.text(file)), {}};
  if (Status sound = segment.recheck(file); !sound) return std::move(sound).error();
  copy.lines = line_table(copy.text);
  return copy;
}

}  // namespace quarry::corpus
