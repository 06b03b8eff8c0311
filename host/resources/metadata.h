#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"

#include <string>
#include <string_view>
#include <vector>

namespace quarry::resources {

/// What a snapshot is of. Stands as resource.json in its directory (format.md).
struct Metadata {
  std::string source;          ///< JSON of the resource without name and notes
  std::string version;         ///< id of the version
  std::string display;         ///< the version for a person
  std::string permalink = {};  ///< template, may be empty
  std::string integrity = {};  ///< what the files were checked against; may be empty
  std::string fields = {};     ///< JSON object: members of the resource that became known
  std::vector<std::string> notes = {};
  std::vector<std::string> generated = {};  ///< paths of files that no permalink leads to
  Clock::Wall fetched_at;
  bool in_place = false;   ///< of a folder that is read where it is
  bool immutable = false;  ///< worth keeping when another version is current: it may come again
};

/// The part of a canonical resource that decides which files it has, as JSON text: every member but
/// `name`, `specialNotes` and the host's own (refresh.h), and for whom they are read: the owner, or
/// a project (not empty). Equal sources are equal texts, and nothing that was fetched for the owner
/// is found for a project. Projects share what they read without a secret; with one they do not,
/// as its name, which is a member of the resource, is that of one project.
std::string source_of(const Json& resource, std::string_view project = {});

/// Names of a snapshot's directory: "<source>.<version>", 32 hexadecimal digits each.
std::string source_key(std::string_view source);
std::string snapshot_name(std::string_view source_key, std::string_view version);

std::string metadata_text(const Metadata& metadata);
/// kInvalidArgument when it is not what metadata_text writes.
Result<Metadata> parse_metadata(std::string_view text);

}  // namespace quarry::resources
