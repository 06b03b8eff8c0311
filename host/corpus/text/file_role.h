#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// The part that a file has in its tree, by its path.
enum class FileRole : std::uint8_t {
  kSource,       ///< code
  kDeclaration,  ///< declarations of code that is elsewhere: .d.ts, .pyi
  kOther,        ///< of no known language: style sheets, completions of shells, logs
  kProse,        ///< documents: Markdown, reStructuredText, HTML, manual pages
  kData,         ///< JSON, YAML, style sheets, tables
  kProject,  ///< about the project: .github, release pages, codes of conduct, manifests, snapshots
};

[[nodiscard]] FileRole role_of(std::string_view path);

/// A name that the forms of one file share: its path without an extension and without folders such
/// as src and dist. types.ts, types.js, types.cjs, types.d.ts and dist/types.js have the same,
/// and so have a page's source, its HTML and its manual page in any folder. Empty for files of
/// which every folder may have one (index, README, __init__), and for code of other languages.
[[nodiscard]] std::string form_key(std::string_view path);

}  // namespace quarry::corpus
