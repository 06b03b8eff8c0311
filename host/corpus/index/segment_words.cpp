#include "corpus/index/segment_words.h"

#include "corpus/text/passages.h"

namespace quarry::corpus {
namespace {

bool file_fits(const WordTable& table, const Segment& segment, FileId file) {
  const std::uint64_t size = segment.text(file).size();
  std::uint64_t before = 0;
  for (PassageId p = table.first_passage(file); p < table.first_passage(file + 1); ++p) {
    const bool first = p == table.first_passage(file);
    if (first ? table.offset(p) != 0 : table.offset(p) <= before) return false;
    if (table.offset(p) >= size) return false;
    before = table.offset(p);
  }
  return true;
}

}  // namespace

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
  const Error misfit{Code::kInternal, "this search index belongs to other files",
                     "Remove it; it is built again."};
  if (table.file_count() != segment.file_count()) return misfit;
  for (FileId file = 0; file < segment.file_count(); ++file) {
    if (!file_fits(table, segment, file)) return misfit;
  }
  return {};
}

}  // namespace quarry::corpus
