#include "corpus/index/segment_words.h"

namespace quarry::corpus {
std::vector<Document> documents_of(const Segment& segment) {
  std::vector<Document> documents;
  documents.reserve(segment.file_count());
  for (FileId file = 0; file < segment.file_count(); ++file) {
    const bool sound = segment.check(file).has_value();
    documents.push_back({segment.path(file), sound ? segment.text(file) : std::string_view()});
  }
  return documents;
}

Status check_fits(const WordTable& table, const Segment& segment) {
  const std::uint64_t text_bytes = segment.packed_text().size() - segment.file_count();
  if (table.file_count() == segment.file_count() && table.shape().text_bytes == text_bytes) {
    return {};
  }
  return table.damaged("it belongs to other files");
}

}  // namespace quarry::corpus
