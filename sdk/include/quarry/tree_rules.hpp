/// Rules for what a fetch adds to a tree (quarry_tree), with the host's messages. The host and the
/// test kit apply them; a plugin that unpacks archives can check a path before it adds it.
#ifndef QUARRY_TREE_RULES_HPP
#define QUARRY_TREE_RULES_HPP

#include <quarry/limits.h>
#include <quarry/outcome.hpp>
#include <quarry/resource.h>

#include <string>
#include <string_view>

namespace quarry {

/// The longest path that tree_path() reads. A tree leaves out files with longer ones.
inline constexpr std::size_t kMostTreePath = 4096;

/// The canonical form of a path in a tree: components joined by single '/', without ".", without
/// leading or trailing '/'. "" and "." are the root. QUARRY_INVALID_ARGUMENT when it is absolute,
/// has a ".." component, contains NUL, or is longer than 4,096 bytes. Other bytes are permitted,
/// UTF-8 or not. [any thread]
inline Outcome<std::string> tree_path(std::string_view path) {
  const auto refuse = [path](std::string_view why) {
    return Failure{QUARRY_INVALID_ARGUMENT,
                   "the path \"" + std::string(path.substr(0, 256)) + "\" " + std::string(why),
                   "Give a path relative to the root of the resource.",
                   {}};
  };
  if (path.size() > kMostTreePath) return refuse("is longer than 4096 bytes");
  if (path.find('\0') != std::string_view::npos) return refuse("contains NUL");
  if (!path.empty() && path.front() == '/') return refuse("is absolute");
  std::string out;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(part.size() == path.size() ? part.size() : part.size() + 1);
    if (part.empty() || part == ".") continue;
    if (part == "..") return refuse("leaves its root with \"..\"");
    if (!out.empty()) out += '/';
    out += part;
  }
  return out;
}

namespace detail {

/// Number of bytes of the well-formed UTF-8 sequence at the start of `text`; 0 if there is none
/// (The Unicode Standard, table 3-7).
inline std::size_t utf8_sequence(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t size = lead < 0xC2   ? 0
                           : lead < 0xE0 ? 2
                           : lead < 0xF0 ? 3
                           : lead < 0xF5 ? 4
                                         : 0;
  const unsigned least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (size == 0 || byte(1) < least || byte(1) > most) return 0;
  for (std::size_t i = 2; i < size; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return size;
}

inline bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = utf8_sequence(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace detail

/// The failure of adding a file whose `reserved` is not 0: a later minor gives other values a
/// meaning, which this host would not obey. Status QUARRY_OK if there is none. [any thread]
inline Failure reserved_failure(const quarry_file& file) {
  if (file.reserved == 0) return {QUARRY_OK, {}, {}, {}};
  return {QUARRY_INVALID_ARGUMENT,
          "quarry_file.reserved is " + std::to_string(file.reserved) + " and must be 0",
          {},
          {}};
}

/// The failure of adding a file with these facts (quarry_file); status QUARRY_OK if there is none.
/// [any thread]
inline Failure file_facts_failure(std::string_view permalink, std::string_view title,
                                  std::string_view media_type) {
  const auto too_long = [](const char* fact, std::size_t most) {
    return Failure{QUARRY_INTERNAL,
                   "the plugin gave a file a " + std::string(fact) + " of more than " +
                       std::to_string(most) + " bytes",
                   {},
                   {}};
  };
  if (permalink.size() > QUARRY_LIMIT_PERMALINK)
    return too_long("permalink", QUARRY_LIMIT_PERMALINK);
  if (title.size() > QUARRY_LIMIT_TITLE) return too_long("title", QUARRY_LIMIT_TITLE);
  if (media_type.size() > QUARRY_LIMIT_MEDIA_TYPE) {
    return too_long("media type", QUARRY_LIMIT_MEDIA_TYPE);
  }
  const bool url = permalink.empty() || permalink.substr(0, 8) == "https://" ||
                   permalink.substr(0, 7) == "http://";
  if (url && detail::is_utf8(permalink) && detail::is_utf8(media_type)) {
    return {QUARRY_OK, {}, {}, {}};
  }
  return {
      QUARRY_INTERNAL, "the plugin gave a file a permalink that is no http or https URL", {}, {}};
}

}  // namespace quarry

#endif
