#include "corpus/text/file_role.h"

#include "base/text.h"
#include "corpus/text/headings.h"
#include "corpus/text/name_set.h"

#include <algorithm>
#include <array>

namespace quarry::corpus {
namespace {

constexpr auto kProjectFolders =
    std::to_array<std::string_view>({".github", ".gitlab", ".circleci", ".vscode", ".changeset",
                                     "__snapshots__", "issue_template", "pull_request_template"});
constexpr auto kProjectStems = std::to_array<std::string_view>(
    {"code_of_conduct", "code-of-conduct", "governance", "sponsors", "backers", "maintainers",
     "codeowners", "issue_template", "pull_request_template", "funding"});
constexpr auto kManifests = std::to_array<std::string_view>(
    {"package.json", "composer.json", "cargo.toml", "pyproject.toml", "setup.cfg", "go.mod",
     "pom.xml", "tsconfig.json", "manifest.in", "renovate.json", "bower.json", "deno.json",
     "jsr.json"});
constexpr auto kScriptExtensions = std::to_array<std::string_view>(
    {".d.ts", ".d.cts", ".d.mts", ".ts", ".cts", ".mts", ".tsx", ".js", ".cjs", ".mjs", ".jsx"});
constexpr auto kOutputFolders = std::to_array<std::string_view>(
    {"src", "dist", "lib", "build", "out", "esm", "cjs", "umd", "es"});
constexpr auto kCommonStems = std::to_array<std::string_view>(
    {"index", "readme", "main", "mod", "lib", "doc", "__init__", "changelog", "license"});

constexpr auto kDeclarationExtensions =
    std::to_array<std::string_view>({".d.ts", ".d.cts", ".d.mts", ".pyi"});
/// Of languages of programs, grammars and templates; code without an extension is a script.
constexpr auto kCodeExtensions = std::to_array<std::string_view>(
    {"ada", "adb",  "ads",    "asm",   "astro",  "awk",  "bash",   "bat",    "c",    "cc",
     "cjs", "cl",   "clj",    "cljs",  "coffee", "cpp",  "cr",     "cs",     "cts",  "cu",
     "cxx", "d",    "dart",   "el",    "elm",    "erb",  "erl",    "ex",     "exs",  "f",
     "f90", "for",  "fs",     "fsx",   "gd",     "go",   "gradle", "groovy", "h",    "hh",
     "hpp", "hrl",  "hs",     "hxx",   "inc",    "ino",  "ipp",    "java",   "jl",   "js",
     "jsx", "kt",   "kts",    "lisp",  "lua",    "m",    "mjs",    "ml",     "mli",  "mm",
     "mts", "nim",  "pas",    "php",   "phtml",  "pl",   "pm",     "ps1",    "psm1", "py",
     "pyx", "r",    "rake",   "rb",    "rkt",    "rs",   "s",      "scala",  "scm",  "sh",
     "sol", "sql",  "svelte", "swift", "t",      "tcc",  "tcl",    "tpp",    "ts",   "tsx",
     "v",   "vala", "vb",     "vim",   "vue",    "xs",   "zig",    "y",      "yy",   "l",
     "ll",  "g4",   "proto",  "ejs",   "hbs",    "twig", "tmpl",   "j2",     "haml", "slim"});

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// The role of a file that is neither prose nor data; "config.h.in" is one of "config.h".
FileRole code_role(std::string_view lower) {
  std::string_view name = name_of(lower);
  if (name.ends_with(".in")) name.remove_suffix(3);
  for (const std::string_view extension : kDeclarationExtensions) {
    if (name.ends_with(extension)) return FileRole::kDeclaration;
  }
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos || dot == 0) return FileRole::kSource;
  return has(kCodeExtensions, name.substr(dot + 1)) ? FileRole::kSource : FileRole::kOther;
}

bool is_project_file(std::string_view lower) {
  const std::string_view name = name_of(lower);
  if (has(kManifests, name) || name.ends_with(".snap")) return true;
  if (has(kProjectStems, name.substr(0, name.find('.', 1)))) return true;
  const std::string_view folders = lower.substr(0, lower.size() - name.size());
  return std::ranges::any_of(split(folders, '/'),
                             [](std::string_view folder) { return has(kProjectFolders, folder); });
}

/// A document of release notes in a folder of them.
bool is_release_page(std::string_view lower) {
  return lower.starts_with("releases/") || lower.contains("/releases/");
}

/// The extension of a script in any of its forms, or "".
std::string_view script_extension(std::string_view name) {
  for (const std::string_view extension : kScriptExtensions) {
    if (name.ends_with(extension)) return extension;
  }
  return {};
}

/// The path of a script without the folders that differ between its forms.
std::string script_key(std::string_view path, std::string_view extension) {
  std::string key;
  for (const std::string_view part : split(path.substr(0, path.size() - extension.size()), '/')) {
    if (!has(kOutputFolders, part)) key += "/" + std::string(part);
  }
  return key;
}

}  // namespace

FileRole role_of(std::string_view path) {
  const std::string lower = to_lower(path);
  if (is_project_file(lower)) return FileRole::kProject;
  switch (markup_of(path)) {
    case Markup::kCode:
      return code_role(lower);
    case Markup::kData:
      return path.ends_with(".conf") ? FileRole::kProse : FileRole::kData;
    default:
      return is_release_page(lower) ? FileRole::kProject : FileRole::kProse;
  }
}

std::string form_key(std::string_view path) {
  const std::string_view name = name_of(path);
  if (const std::string_view extension = script_extension(name); !extension.empty()) {
    return script_key(path, extension);
  }
  if (role_of(path) != FileRole::kProse) return {};
  const std::string_view stem = name.substr(0, std::min(name.rfind('.'), name.size()));
  return has(kCommonStems, to_lower(stem)) ? std::string() : std::string(stem);
}

}  // namespace quarry::corpus
