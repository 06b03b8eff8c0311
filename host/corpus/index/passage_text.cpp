#include "corpus/index/passage_text.h"

#include "base/text.h"
#include "base/utf8.h"
#include "corpus/text/passages.h"

#include <algorithm>

namespace quarry::corpus {
namespace {

std::string_view own_text(const Segment& segment, const WordTable& table, PassageId passage) {
  const FileId file = table.file_of(passage);
  const std::string_view text = segment.text(file);
  const bool last = passage + 1 == table.passages_of(file).end;
  const std::size_t begin = std::min<std::size_t>(table.offset(passage), text.size());
  const std::size_t end = last ? text.size() : table.offset(passage + 1);
  return text.substr(begin, std::max(begin, end) - begin);
}

}  // namespace

std::string passage_text(const Segment& segment, const WordTable& table, PassageId passage) {
  const std::string_view own = trim(own_text(segment, table, passage));
  if (own.empty()) return {};
  std::string text;
  for (const std::uint32_t above : {table.context(passage), table.heading(passage)}) {
    if (above >= table.offset(passage)) continue;  // within the passage, or none
    text += heading_text(segment.text(table.file_of(passage)), above) + '\n';
  }
  text += utf8_prefix(own, kMostEncodedBytes);
  text.resize(utf8_prefix(text, kMostEncodedBytes).size());
  return text;
}

std::vector<std::uint64_t> passage_digests(const Segment& segment, const WordTable& table) {
  std::vector<std::uint64_t> digests;
  digests.reserve(table.passage_count());
  for (PassageId passage = 0; passage < table.passage_count(); ++passage) {
    const std::string text = passage_text(segment, table, passage);
    digests.push_back(text.empty() ? 0 : std::max<std::uint64_t>(1, digest(text)));
  }
  return digests;
}

std::uint64_t places_digest(const WordTable& table) {
  std::vector<std::uint32_t> places;
  places.reserve(std::size_t{2} * table.passage_count());
  for (PassageId passage = 0; passage < table.passage_count(); ++passage) {
    places.push_back(table.file_of(passage));
    places.push_back(table.offset(passage));
  }
  return digest(
      {reinterpret_cast<const char*>(places.data()), places.size() * sizeof(std::uint32_t)});
}

}  // namespace quarry::corpus
