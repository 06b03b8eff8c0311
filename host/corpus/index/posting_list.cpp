#include "corpus/index/posting_list.h"

namespace quarry::corpus {

std::vector<FileId> read_postings(std::string_view bytes, FileId end) {
  std::vector<FileId> files;
  PostingReader reader(bytes);
  for (auto file = reader.next(); file && *file < end; file = reader.next()) files.push_back(*file);
  return files;
}

void keep_postings(std::vector<FileId>& files, std::string_view bytes) {
  PostingReader reader(bytes);
  auto file = reader.next();
  std::erase_if(files, [&](FileId wanted) {
    while (file && *file < wanted) file = reader.next();
    return file != wanted;
  });
}

}  // namespace quarry::corpus
