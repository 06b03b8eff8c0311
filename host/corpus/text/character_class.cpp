#include "corpus/text/character_class.h"

#include <array>
#include <cctype>

namespace quarry::corpus {
namespace {

using ByteSet = std::bitset<256>;

struct NamedClass {
  std::string_view name;
  int (*holds)(int);
};

// POSIX, as in fnmatch(3); always in the C locale, which the host never leaves.
constexpr auto kNamedClasses = std::to_array<NamedClass>({{"alnum", std::isalnum},
                                                          {"alpha", std::isalpha},
                                                          {"blank", std::isblank},
                                                          {"cntrl", std::iscntrl},
                                                          {"digit", std::isdigit},
                                                          {"graph", std::isgraph},
                                                          {"lower", std::islower},
                                                          {"print", std::isprint},
                                                          {"punct", std::ispunct},
                                                          {"space", std::isspace},
                                                          {"upper", std::isupper},
                                                          {"xdigit", std::isxdigit}});

bool add_named(ByteSet& set, std::string_view name) {
  for (const NamedClass& one : kNamedClasses) {
    if (one.name != name) continue;
    for (int byte = 0; byte < 128; ++byte) {
      if (one.holds(byte) != 0) set.set(static_cast<std::size_t>(byte));
    }
    return true;
  }
  return false;
}

/// Parses one member, which may be escaped. nullopt at the end of the text.
std::optional<unsigned char> take_byte(std::string_view& text) {
  if (text.starts_with('\\')) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  const auto byte = static_cast<unsigned char>(text.front());
  text.remove_prefix(1);
  return byte;
}

/// Parses a single byte or a range such as "a-z". False at the end of the text.
bool take_range(std::string_view& text, ByteSet& set) {
  const auto first = take_byte(text);
  if (!first) return false;
  unsigned last = *first;
  if (text.size() >= 2 && text[0] == '-' && text[1] != ']') {
    text.remove_prefix(1);
    const auto end = take_byte(text);
    if (!end) return false;
    last = *end;
  }
  for (unsigned byte = *first; byte <= last; ++byte) set.set(byte);
  return true;
}

}  // namespace

std::optional<ByteSet> take_character_class(std::string_view& rest) {
  std::string_view text = rest.substr(1);
  const bool negated = text.starts_with('!') || text.starts_with('^');
  if (negated) text.remove_prefix(1);
  ByteSet set;
  for (bool first = true; first || !text.starts_with(']'); first = false) {
    const std::size_t end = text.starts_with("[:") ? text.find(":]", 2) : std::string_view::npos;
    if (end != std::string_view::npos) {
      if (!add_named(set, text.substr(2, end - 2))) return std::nullopt;
      text.remove_prefix(end + 2);
    } else if (!take_range(text, set)) {
      return std::nullopt;
    }
  }
  text.remove_prefix(1);
  rest = text;
  return negated ? ~set : set;
}

}  // namespace quarry::corpus
