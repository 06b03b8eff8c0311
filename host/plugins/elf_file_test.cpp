#include "plugins/elf_file.h"

#include <cstring>
#include <elf.h>
#include <fstream>
#include <vector>

#include <gmock/gmock.h>

namespace quarry::plugins {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

template <class Part>
void append(std::string& bytes, const Part& part) {
  bytes.append(reinterpret_cast<const char*>(&part), sizeof part);
}

/// A shared object for this machine with nothing but symbols, all of which it exports.
/// `offsets`: of their names in `names`.
std::string shared_object(const std::vector<std::uint32_t>& offsets, const std::string& names) {
  Elf64_Ehdr header{};
  std::ifstream("/proc/self/exe", std::ios::binary)
      .read(reinterpret_cast<char*>(&header), sizeof header);
  header.e_type = ET_DYN;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  header.e_shoff = header.e_phoff + sizeof(Elf64_Phdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 2;
  Elf64_Phdr dynamic{};
  dynamic.p_type = PT_DYNAMIC;
  Elf64_Shdr symbols{};
  symbols.sh_type = SHT_DYNSYM;
  symbols.sh_link = 1;
  symbols.sh_offset = header.e_shoff + 2 * sizeof(Elf64_Shdr);
  symbols.sh_size = offsets.size() * sizeof(Elf64_Sym);
  Elf64_Shdr strings{};
  strings.sh_type = SHT_STRTAB;
  strings.sh_offset = symbols.sh_offset + symbols.sh_size;
  strings.sh_size = names.size();
  std::string out;
  append(out, header);
  append(out, dynamic);
  append(out, symbols);
  append(out, strings);
  for (const std::uint32_t offset : offsets) {
    Elf64_Sym symbol{};
    symbol.st_name = offset;
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
    symbol.st_shndx = 1;
    append(out, symbol);
  }
  return out + names;
}

TEST(SharedObject, NamesWhatItExports) {
  using namespace std::string_literals;
  const auto exported = check_shared_object(shared_object({1, 5}, "\0one\0two\0"s));
  ASSERT_TRUE(exported) << exported.error().message;
  EXPECT_THAT(*exported, ElementsAre("one", "two"));
}

TEST(SharedObject, WithANameThatDoesNotEndIsBroken) {
  using namespace std::string_literals;
  EXPECT_TRUE(check_shared_object(shared_object({4}, "\0one\0two"s)));
  const auto broken = check_shared_object(shared_object({5}, "\0one\0two"s));
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message, HasSubstr("the name of a symbol lies outside the file"));
}

/// Otherwise a file of a few megabytes could have more bytes of names than any memory.
TEST(SharedObject, ThatRepeatsALongNameTakesNoMoreThanIsShown) {
  const std::vector<std::uint32_t> same(1'000, 0);
  const auto exported = check_shared_object(shared_object(same, std::string(10'000, 'x') + '\0'));
  ASSERT_TRUE(exported) << exported.error().message;
  EXPECT_THAT(*exported, SizeIs(100));
  EXPECT_THAT(*exported, Each(SizeIs(256)));
}

}  // namespace
}  // namespace quarry::plugins
