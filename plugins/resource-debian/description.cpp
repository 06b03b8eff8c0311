// Reads a .dsc, and tells what each file of the package is.
#include "resource-debian/sources.h"
#include "resource-debian/unpack.h"
#include "resource-debian/version.h"

#include <array>

namespace quarry::resource_debian {
namespace {

constexpr std::array<std::string_view, 4> kEndings{".gz", ".xz", ".bz2", ".lzma"};

// The text that was signed, if it is: the signature is not needed, see the header.
std::string unsigned_text(std::string_view text) {
  if (!text.starts_with("-----BEGIN PGP SIGNED MESSAGE-----")) return std::string(text);
  while (!text.empty() && !trimmed(next_line(text)).empty()) {
  }
  std::string out;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    if (line.starts_with("-----BEGIN PGP SIGNATURE-----")) break;
    if (line.starts_with("- ")) line.remove_prefix(2);
    out += line;
    out += '\n';
  }
  return out;
}

Failure malformed_description(const std::string& name, const std::string& what) {
  return failure(QUARRY_DATA_LOSS, name + " " + what,
                 "do not unpack this package; report it to the archive that has it");
}

// "curl_7.88.1.orig.tar.xz" with the prefix "curl_7.88.1.orig.tar" is true.
bool is_tar(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  return std::find(kEndings.begin(), kEndings.end(), name) != kEndings.end();
}

// The folder of an additional upstream archive: "lib" of "…orig-lib.tar.xz".
std::string folder_of(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return {};
  name.remove_prefix(prefix.size());
  const std::size_t end = name.find('.');
  const std::string folder(name.substr(0, end));
  const bool plain = !folder.empty() && std::all_of(folder.begin(), folder.end(), [](char c) {
    return is_digit(c) || is_letter(c) || c == '-';
  });
  return plain && end != std::string_view::npos && is_tar(name, folder + ".tar") ? folder : "";
}

}  // namespace

Outcome<Description> read_description(std::string_view text, const std::string& name) {
  const std::string plain = unsigned_text(text);
  std::string_view stanza = plain;
  while (stanza.starts_with('\n')) stanza.remove_prefix(1);
  stanza = stanza.substr(0, stanza.find("\n\n") + 1);
  if (stanza.empty()) stanza = plain;
  Description out{field(stanza, "Format"), field(stanza, "Source"), field(stanza, "Version"),
                  listed_files(field(stanza, "Checksums-Sha256"))};
  if (out.format.empty()) out.format = "1.0";
  if (!is_package_name(out.source) || !is_version(out.version)) {
    return malformed_description(name, "names no package and version");
  }
  for (const Listed& file : out.files) {
    if (is_plain_name(file.name)) continue;
    return malformed_description(
        name, "names the file \"" + shown(file.name) + "\", which is no plain file name");
  }
  return out;
}

std::vector<const Listed*> Parts::all() const {
  std::vector<const Listed*> out;
  for (const Listed* part : {main, debian, diff}) {
    if (part != nullptr) out.push_back(part);
  }
  for (const auto& [folder, part] : extra) out.push_back(part);
  return out;
}

Outcome<Parts> parts_of(const Description& description) {
  const std::string base =
      description.source + '_' + std::string(upstream_version(description.version));
  const std::string full =
      description.source + '_' + std::string(without_epoch(description.version));
  Parts out;
  out.format = description.format;
  const bool quilt = out.format == "3.0 (quilt)";
  const bool native = out.format == "3.0 (native)";
  if (!quilt && !native && out.format != "1.0") {
    return failure(QUARRY_UNSUPPORTED,
                   "source format \"" + shown(out.format) + "\" of " + description.source +
                       " is not supported",
                   "packages of the formats 1.0, 3.0 (quilt) and 3.0 (native) can be read");
  }
  for (const Listed& file : description.files) {
    const std::string& name = file.name;
    const bool upstream = !native && is_tar(name, base + ".orig.tar");
    const std::string folder = quilt ? folder_of(name, base + ".orig-") : "";
    const Listed** part = nullptr;
    if (upstream || (!quilt && is_tar(name, full + ".tar"))) part = &out.main;
    if (quilt && is_tar(name, full + ".debian.tar")) part = &out.debian;
    if (out.format == "1.0" && name == full + ".diff.gz") part = &out.diff;
    if (!folder.empty()) {
      const auto same = [&](const auto& one) { return one.first == folder; };
      if (std::any_of(out.extra.begin(), out.extra.end(), same)) {
        return malformed_description(full + ".dsc", "names the archive \"" + folder + "\" twice");
      }
      out.extra.emplace_back(folder, &file);
    } else if (part != nullptr) {
      if (*part != nullptr)
        return malformed_description(full + ".dsc", "names two files for one part: " + shown(name));
      *part = &file;
    } else if (!name.ends_with(".asc")) {  // signatures of upstream
      return malformed_description(
          full + ".dsc", "names the file " + shown(name) + ", which its format does not have");
    }
  }
  std::sort(out.extra.begin(), out.extra.end());
  if (out.main == nullptr || (quilt && out.debian == nullptr)) {
    return malformed_description(full + ".dsc", "lacks an archive, or its SHA-256");
  }
  return out;
}

}  // namespace quarry::resource_debian
