#include "corpus/index/posting_list.h"

namespace quarry::corpus {

void append_varint(std::string& out, std::uint32_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

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
