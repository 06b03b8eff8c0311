#include "resource-pypi/select.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace quarry::resource_pypi {
namespace {

using Files = std::vector<const PageFile*>;

/// A requirement that cannot be read excludes nothing, as in pip.
bool excludes(const PageFile& file, const Version& python) {
  const auto wanted = Specifier::parse(file.requires_python);
  return wanted && !wanted->matches(python);
}

bool has_format(const PageFile& file, Format format) {
  return format == Format::kAny || (format == Format::kWheel) == file.parts.wheel;
}

/// Among the files of a version: sources first, then wheels with the most of them.
auto rank(const PageFile& file) {
  const FileName& parts = file.parts;
  const int gzip = parts.suffix == ".tar.gz" ? 2 : parts.suffix == ".zip" ? 1 : 0;
  const bool on_linux = parts.platform.find("linux") != std::string::npos;
  const bool common = parts.platform.find("x86_64") != std::string::npos;
  const int platform = parts.platform == "any" ? 3 : on_linux && common ? 2 : on_linux ? 1 : 0;
  const bool python3 = parts.python.find("py3") != std::string::npos ||
                       parts.python.find("cp3") != std::string::npos;
  return std::tuple(!parts.wheel, gzip, platform, python3, parts.python.size(), parts.python,
                    parts.build, file.name);
}

std::string newest_of(const Files& files, std::size_t most) {
  std::set<Version, std::greater<>> versions;
  for (const PageFile* file : files) versions.insert(file->parts.version);
  std::string out;
  for (const Version& version : versions) {
    if (most-- == 0) return out + ", …";
    out += (out.empty() ? "" : ", ") + version.text();
  }
  return out;
}

Files those(const Files& files, const auto& test) {
  Files out;
  std::copy_if(files.begin(), files.end(), std::back_inserter(out),
               [&](const PageFile* file) { return test(*file); });
  return out;
}

Failure none(const Requirement& requirement, std::string_view field, const std::string& cause,
             const std::string& hint) {
  Failure failure = field_failure(field, cause, hint);
  failure.status = QUARRY_NOT_FOUND;
  failure.message = requirement.package + ": " + cause;
  return failure;
}

Failure no_files(const Page& page, const Requirement& requirement) {
  if (page.status == "quarantined") {
    return none(requirement, "/package",
                "the index has quarantined this project, and offers no files",
                "Read the project's page to learn why.");
  }
  return none(requirement, "/package",
              "the index " + requirement.index + " offers no file of it that can be read" +
                  (page.others == 0 ? "" : " (" + std::to_string(page.others) + " of other kinds)"),
              "Name another index, or another package.");
}

/// Narrows the files of a page step by step; the first step that leaves none is the failure.
Outcome<Files> candidates(const Page& page, const Requirement& requirement) {
  Files files;
  for (const PageFile& file : page.files) files.push_back(&file);
  if (files.empty()) return no_files(page, requirement);
  Files left =
      those(files, [&](const PageFile& file) { return has_format(file, requirement.format); });
  if (left.empty()) {
    const std::string kind =
        requirement.format == Format::kWheel ? "wheels" : "source distributions";
    return none(requirement, "/format", "the index has no " + kind + " of this project",
                "Leave the field format out.");
  }
  Files before = left;
  if (requirement.python) {
    left = those(left, [&](const PageFile& file) { return !excludes(file, *requirement.python); });
    if (left.empty()) {
      return none(requirement, "/python", "no file is for Python " + requirement.python->text(),
                  "Name another version of Python, or leave the field python out.");
    }
  }
  before = left;
  left = those(left, [&](const PageFile& file) {
    return requirement.specifier.matches(file.parts.version);
  });
  if (left.empty()) {
    return none(requirement, "/version",
                "no version matches \"" + requirement.specifier.text() + "\"; there are " +
                    newest_of(before, 8),
                "Choose one of these, or leave the field version out.");
  }
  return left;
}

/// Final versions, or pre-releases where nothing else fulfils the requirement (PEP 440).
Files by_prerelease(const Files& files, const Requirement& requirement) {
  if (requirement.specifier.admits_prereleases()) return files;
  Files finals =
      those(files, [](const PageFile& file) { return !file.parts.version.is_prerelease(); });
  return finals.empty() ? files : finals;
}

std::string sentence(const std::string& text) {
  std::string out = text;
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return out.size() > 200 ? out.substr(0, 200) + "…" : out;
}

}  // namespace

Outcome<Choice> choose(const Page& page, const Requirement& requirement) {
  auto found = candidates(page, requirement);
  if (!found) return found.failure();
  Files files = by_prerelease(*found, requirement);
  Files kept = those(files, [](const PageFile& file) { return !file.yanked; });
  if (kept.empty() && !requirement.specifier.is_pinned()) {
    return none(
        requirement, "/version",
        "every version that matches was yanked by its authors: " + newest_of(files, 8),
        "Pin one, as in \"==" + files.front()->parts.version.text() + "\", if you need it.");
  }
  if (!kept.empty()) files = std::move(kept);
  const auto worse = [](const PageFile* a, const PageFile* b) {
    if (const auto order = a->parts.version <=> b->parts.version; order != 0) return order < 0;
    return rank(*a) < rank(*b);
  };
  Choice choice;
  choice.file = *std::max_element(files.begin(), files.end(), worse);
  choice.notes = notes_about(*choice.file, page, requirement);
  return choice;
}

std::vector<std::string> notes_about(const PageFile& file, const Page& page,
                                     const Requirement& requirement) {
  std::vector<std::string> notes;
  const std::string version = file.parts.version.text();
  const auto note = [&](const std::string& text) { notes.push_back(text); };
  const auto because = [](const std::string& reason) {
    return reason.empty() ? std::string(".") : ": " + sentence(reason);
  };
  if (file.yanked) note("Version " + version + " was yanked" + because(file.yanked_reason));
  if (file.parts.version.is_prerelease() && !requirement.specifier.admits_prereleases()) {
    note("Version " + version + " is a pre-release; no final release matches.");
  }
  if (file.parts.wheel && requirement.format == Format::kAny) {
    note("Version " + version + " has no source distribution; the files are those of the wheel " +
         file.name + ".");
  }
  if (!file.requires_python.empty()) {
    note("It requires Python " + sentence(file.requires_python) + ".");
  }
  if (!page.status.empty() && page.status != "active") {
    note("The index marks the project as " + sentence(page.status) + because(page.status_reason));
  }
  return notes;
}

const PageFile* metadata_of(const Page& page, const PageFile& chosen) {
  if (chosen.has_metadata) return &chosen;
  for (const PageFile& file : page.files) {
    const bool same = file.parts.version == chosen.parts.version;
    if (same && file.parts.wheel && file.has_metadata) return &file;
  }
  return nullptr;
}

}  // namespace quarry::resource_pypi
