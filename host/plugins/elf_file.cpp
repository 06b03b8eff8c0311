#include "plugins/elf_file.h"

#include "plugins/compose.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <optional>

namespace quarry::plugins {
namespace {

#if defined(__x86_64__)
constexpr std::uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t kMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr std::uint16_t kMachine = EM_RISCV;
#endif
constexpr unsigned char kByteOrder =
    std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

// Of what a hostile file exports, and of each name.
constexpr std::size_t kMostExports = 100;
constexpr std::size_t kShownOfName = 256;

Error broken(std::string_view what) {
  return {Code::kInvalidArgument, compose("not a whole shared object: {}", what),
          "copy or build the plugin again"};
}

bool inside(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

/// Entry `index` of a table that was checked to be inside `bytes`. Copied, because a hostile file
/// may not align it.
template <class T>
T entry(std::string_view bytes, std::uint64_t table, std::uint64_t index) {
  T value;
  std::memcpy(&value, bytes.data() + table + index * sizeof(T), sizeof(T));
  return value;
}

Result<Elf64_Ehdr> read_header(std::string_view bytes) {
  if (bytes.size() < sizeof(Elf64_Ehdr)) return broken("it ends within its first header");
  const auto header = entry<Elf64_Ehdr>(bytes, 0, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return broken("it is not an ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != kByteOrder ||
      header.e_machine != kMachine) {
    return broken("it is built for another kind of machine");
  }
  if (header.e_type != ET_DYN) return broken("it is not a shared object");
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0 ||
      !inside(bytes, header.e_phoff, std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr))) {
    return broken("its table of segments lies outside the file");
  }
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0 ||
      !inside(bytes, header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr))) {
    return broken("its table of sections lies outside the file");
  }
  return header;
}

Status check_segments(std::string_view bytes, const Elf64_Ehdr& header) {
  bool dynamic = false;
  for (std::uint16_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = entry<Elf64_Phdr>(bytes, header.e_phoff, i);
    if (!inside(bytes, segment.p_offset, segment.p_filesz)) {
      return broken(compose("segment {} lies outside the file", i));
    }
    if (segment.p_type == PT_LOAD && segment.p_filesz > segment.p_memsz) {
      return broken(compose("segment {} is larger in the file than in memory", i));
    }
    dynamic = dynamic || segment.p_type == PT_DYNAMIC;
  }
  if (!dynamic) return broken("it has no dynamic segment");
  return {};
}

bool is_exported(const Elf64_Sym& symbol) {
  const auto binding = ELF64_ST_BIND(symbol.st_info);
  const auto visibility = ELF64_ST_VISIBILITY(symbol.st_other);
  return symbol.st_shndx != SHN_UNDEF && binding != STB_LOCAL && visibility != STV_HIDDEN &&
         visibility != STV_INTERNAL;
}

/// At most as many bytes of it as a message shows.
std::string name_at(std::string_view strings, std::uint32_t offset) {
  const auto name = strings.substr(offset, kShownOfName);
  return std::string(name.substr(0, name.find('\0')));
}

Result<std::vector<std::string>> exports_of(std::string_view bytes, const Elf64_Ehdr& header,
                                            const Elf64_Shdr& symbols) {
  if (symbols.sh_link >= header.e_shnum) return broken("its symbols have no names");
  const auto names = entry<Elf64_Shdr>(bytes, header.e_shoff, symbols.sh_link);
  if (names.sh_type == SHT_NOBITS || !inside(bytes, names.sh_offset, names.sh_size)) {
    return broken("the names of its symbols lie outside the file");
  }
  const auto strings = bytes.substr(names.sh_offset, names.sh_size);
  const auto last_end = strings.rfind('\0');
  std::vector<std::string> exported;
  for (std::uint64_t i = 0; i < symbols.sh_size / sizeof(Elf64_Sym); ++i) {
    const auto symbol = entry<Elf64_Sym>(bytes, symbols.sh_offset, i);
    if (!is_exported(symbol)) continue;
    if (last_end == std::string_view::npos || symbol.st_name > last_end) {
      return broken("the name of a symbol lies outside the file");
    }
    // The node of the version script is not a symbol of the plugin.
    if (symbol.st_shndx == SHN_ABS || exported.size() == kMostExports) continue;
    exported.push_back(name_at(strings, symbol.st_name));
  }
  return exported;
}

}  // namespace

Result<std::vector<std::string>> check_shared_object(std::string_view bytes) {
  const auto header = read_header(bytes);
  if (!header) return header.error();
  if (auto checked = check_segments(bytes, *header); !checked) return std::move(checked.error());
  std::optional<Elf64_Shdr> symbols;
  for (std::uint16_t i = 0; i < header->e_shnum; ++i) {
    const auto section = entry<Elf64_Shdr>(bytes, header->e_shoff, i);
    if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL &&
        !inside(bytes, section.sh_offset, section.sh_size)) {
      return broken(compose("section {} lies outside the file", i));
    }
    if (section.sh_type == SHT_DYNSYM) symbols = section;
  }
  if (!symbols) return broken("it has no dynamic symbols");
  return exports_of(bytes, *header, *symbols);
}

Result<std::string> shared_object_machine(std::string_view bytes) {
  if (bytes.size() < sizeof(Elf64_Ehdr)) return broken("it ends within its first header");
  const auto header = entry<Elf64_Ehdr>(bytes, 0, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return broken("it is not an ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != kByteOrder) {
    return broken("it is built for another kind of machine");
  }
  switch (header.e_machine) {
    case EM_X86_64:
      return "x86_64";
    case EM_AARCH64:
      return "aarch64";
    case EM_RISCV:
      return "riscv64";
    default:
      return std::to_string(header.e_machine);
  }
}

}  // namespace quarry::plugins
