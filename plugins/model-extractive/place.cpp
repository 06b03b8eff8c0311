#include "model-extractive/place.h"

#include "model-extractive/lines.h"
#include "model-extractive/words.h"

#include <algorithm>
#include <array>
#include <span>

namespace quarry::extractive {
namespace {

using List = std::span<const std::string_view>;

constexpr auto kDocumentEndings =
    std::to_array<std::string_view>({".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc",
                                     ".asciidoc", ".org", ".pod", ".html", ".htm"});
constexpr auto kDocumentFolders = std::to_array<std::string_view>(
    {"doc", "docs", "documentation", "manual", "manuals", "man", "guide", "guides"});
constexpr auto kDataEndings = std::to_array<std::string_view>(
    {".lock", ".csv", ".tsv", ".svg", ".map", ".sum", ".snap", "-lock.json", "-lock.yaml", ".css",
     ".patch", ".diff", ".ipynb", ".min.js", ".out", ".log"});
constexpr auto kTranslationEndings =
    std::to_array<std::string_view>({".po", ".pot", ".xlf", ".ftl", ".resx"});
constexpr auto kTestFolders = std::to_array<std::string_view>(
    {"test", "tests", "t", "testing", "spec", "specs", "__tests__", "testdata", "fixtures", "e2e",
     "bench", "benches", "benchmarks", "benchsuite", "fuzz", "caddytest", "testutils"});
constexpr auto kBundledFolders =
    std::to_array<std::string_view>({"deps", "vendor", "third_party", "thirdparty", "external",
                                     "node_modules", "dist", "build", "contrib"});
constexpr auto kChangeNames = std::to_array<std::string_view>(
    {"changelog", "changes", "change_log", "news", "history", "relnotes", "releasenotes",
     "release_notes", "releases", "whatsnew", "upgrading", "migration", "migrating"});
constexpr auto kLegalNames = std::to_array<std::string_view>(
    {"license", "licence", "copying", "notice", "authors", "contributors", "code_of_conduct",
     "governance", "unlicense", "maintainers", "sponsors", "security", "contributing"});
constexpr auto kImports = std::to_array<std::string_view>(
    {"import ", "from ", "#include", "using ", "use ", "require(", "require ", "package ",
     "@import", "extern crate ", "export * from", "export {", "#pragma once", "mod "});

bool ends_with_any(std::string_view text, List endings) {
  return std::ranges::any_of(endings, [&](std::string_view end) { return text.ends_with(end); });
}

bool is_listed(List list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

/// The folders of `path` in lower case.
bool in_folder(std::string_view path, List folders) {
  for (std::size_t end = path.find('/'); end != std::string_view::npos; end = path.find('/')) {
    if (is_listed(folders, path.substr(0, end))) return true;
    path.remove_prefix(end + 1);
  }
  return false;
}

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// "/a/b.c" of "name/a/b.c": the name of a source tells nothing about its files.
std::string_view without_source(std::string_view path) {
  return path.substr(std::min(path.find('/'), path.size()));
}

bool is_test(std::string_view path) {
  const std::string_view name = name_of(path);
  return in_folder(path, kTestFolders) || name.starts_with("test_") ||
         name.find("_test.") != std::string_view::npos ||
         name.find(".test.") != std::string_view::npos ||
         name.find(".spec.") != std::string_view::npos ||
         name.find("-test.") != std::string_view::npos ||
         (name.size() > 9 && name.find("tests.") != std::string_view::npos);
}

/// "changelog" of "Changelog.md", "migration" of "Migration-Guide-V4.md".
bool is_named(std::string_view path, List names) {
  const std::string_view name = name_of(path);
  return std::ranges::any_of(names, [&](std::string_view one) {
    return name.starts_with(one) &&
           (name.size() == one.size() || std::string_view(".-_").contains(name[one.size()]));
  });
}

bool is_link_of_contents(std::string_view line) {
  const std::size_t text = line.find_first_not_of("-*+ 0123456789.");
  if (text == std::string_view::npos || text == 0 || line[text] != '[') return false;
  const std::size_t link = line.find("](#", text);
  return link != std::string_view::npos && line.back() == ')';
}

bool is_import(std::string_view line) {
  if (line.starts_with("from ")) return line.find(" import ") != std::string_view::npos;
  if (line.starts_with("use ")) return line.ends_with(';') || line.ends_with('{');
  if (line.starts_with("package ")) return line.find(' ', 8) == std::string_view::npos;
  if (line.starts_with("using ") || line.starts_with("mod ")) return line.ends_with(';');
  if (line.starts_with("import ")) {
    return line.find(". ") == std::string_view::npos && !line.ends_with('.');
  }
  if (line.find("= require(") != std::string_view::npos) return true;
  return std::ranges::any_of(kImports, [&](std::string_view one) {
    return one.front() != ' ' &&
           (one.front() == '#' || one.front() == '@' || one == "require(" ||
            one == "extern crate " || one.starts_with("export")) &&
           line.starts_with(one);
  });
}

bool is_legal(std::string_view line) {
  const std::string text = lowered(line);
  return text.find("copyright") != std::string::npos ||
         text.find("spdx-license") != std::string::npos ||
         text.find("all rights reserved") != std::string::npos ||
         text.find("licensed under") != std::string::npos ||
         text.find("permission is hereby granted") != std::string::npos;
}

/// True for an option of a reStructuredText directive, such as ":depth: 2".
bool is_field(std::string_view line) {
  constexpr std::size_t kMostField = 30;
  return line.starts_with(':') && line.size() < kMostField &&
         line.find(':', 1) != std::string_view::npos && line.find('`') == std::string_view::npos;
}

bool is_directive(std::string_view line) {
  return line.starts_with("[[") || line.starts_with(".. _") || line.starts_with("<a id=") ||
         line.starts_with("<a name=") || line.starts_with(".. contents") || line == "---" ||
         line.starts_with("```{contents") || line.starts_with("```{currentmodule") ||
         is_field(line) || line.starts_with(".. currentmodule") || line.starts_with(".. module::");
}

}  // namespace

bool is_document(std::string_view path) {
  const std::string name = lowered(name_of(path));
  const bool manual =
      name.size() > 2 && name[name.size() - 2] == '.' && name.back() >= '1' && name.back() <= '9';
  return manual || name.starts_with("readme") || ends_with_any(name, kDocumentEndings);
}

bool explains(std::string_view path) {
  const std::string lower = lowered(without_source(path));
  return is_document(path) || in_folder(lower, kDocumentFolders) || lower.ends_with(".conf");
}

double trust_in(std::string_view path, const Question& question) {
  const std::string lower = lowered(without_source(path));
  double out = 1;
  if (ends_with_any(lower, kTranslationEndings)) out *= 0.15;
  if (ends_with_any(lower, kDataEndings)) out *= 0.3;
  if (is_named(lower, kLegalNames)) out *= 0.4;
  if (!question.about_changes &&
      (is_named(lower, kChangeNames) || in_folder(lower, kChangeNames))) {
    out *= 0.4;
  }
  if (!question.about_tests && is_test(lower)) out *= 0.4;
  if (in_folder(lower, kBundledFolders)) out *= 0.6;
  if (lower.find("/.") != std::string::npos) out *= 0.7;
  return out;
}

bool is_filler(std::string_view line, bool document) {
  const std::string_view text = trimmed(line);
  if (text.empty()) return true;
  if (document) return is_link_of_contents(text) || is_directive(text);
  return is_import(text) || is_legal(text);
}

}  // namespace quarry::extractive
