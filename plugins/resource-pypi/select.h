/// The choice of one file among those of a page.
#pragma once

#include "resource-pypi/page.h"
#include "resource-pypi/pep440.h"

#include <quarry/outcome.hpp>

#include <optional>
#include <string>
#include <vector>

namespace quarry::resource_pypi {

enum class Format { kAny, kSdist, kWheel };

struct Requirement {
  std::string package;  ///< normalised
  std::string index;    ///< for messages
  Specifier specifier;
  Format format = Format::kAny;
  std::optional<Version> python;  ///< files that exclude it are passed over
};

struct Choice {
  const PageFile* file = nullptr;  ///< in the page
  std::vector<std::string> notes;
};

/// The file of the newest version that fulfils `requirement`, by the rules of PEP 440 and PEP 592;
/// a source distribution before a wheel.
Outcome<Choice> choose(const Page& page, const Requirement& requirement);

/// What a reader should know about `file`.
std::vector<std::string> notes_about(const PageFile& file, const Page& page,
                                     const Requirement& requirement);

/// A wheel of the same version whose metadata can be had alone (PEP 658); null when there is none.
const PageFile* metadata_of(const Page& page, const PageFile& chosen);

}  // namespace quarry::resource_pypi
