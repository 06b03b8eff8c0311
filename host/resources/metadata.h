#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "plugins/resource_type.h"

#include <string>
#include <string_view>
#include <vector>

namespace quarry::resources {

/// Description of a snapshot, stored as resource.json in its directory (format.md).
struct Metadata {
  std::string source;          ///< JSON of the resource without name and notes
  std::string version;         ///< id of the version
  std::string display;         ///< the version for a person
  std::string permalink = {};  ///< template, may be empty
  std::string integrity = {};  ///< digest the files were checked against; may be empty
  std::string fields = {};     ///< JSON object: omitted members found by resolving
  std::vector<std::string> notes = {};
  std::vector<std::string> generated = {};  ///< paths of files without a permalink
  plugins::LastSnapshot origin = {};        ///< for the next resolve and fetch
  plugins::FactsByPath facts = {};          ///< of files that have any
  Clock::Wall fetched_at;
  bool in_place = false;   ///< of a folder that is read in place
  bool immutable = false;  ///< kept when another version is current: it may become current again
};

/// The part of a canonical resource that determines its files, as JSON text: every member except
/// `name`, `specialNotes` and the host's own (refresh.h), and the reader: the owner, or a project
/// (not empty). Equal sources have equal texts, and a project never finds snapshots fetched for the
/// owner. Projects share snapshots read without a secret; a secret's name, which is a member of the
/// resource, belongs to one project only.
std::string source_of(const Json& resource, std::string_view project = {});

/// Parts of a snapshot's directory name "<source>.<version>", 32 hexadecimal digits each.
std::string source_key(std::string_view source);
std::string snapshot_name(std::string_view source_key, std::string_view version);

std::string metadata_text(const Metadata& metadata);
/// kInvalidArgument unless `text` has the format of metadata_text.
Result<Metadata> parse_metadata(std::string_view text);

}  // namespace quarry::resources
