#include "corpus/snapshot/scip_file.h"

#include "base/file.h"
#include "corpus/scip/scip_index.h"
#include "corpus/snapshot/pack.h"
#include "corpus/text/display.h"

#include <string>

namespace quarry::corpus {
namespace {

Status write(const std::filesystem::path& directory, std::string_view index,
             std::string_view problem, std::string_view source) {
  return write_file_atomically(directory / ScipIndex::kFileName,
                               ScipIndex::bytes_of(index, problem, source));
}

Status write_checked(const std::filesystem::path& directory, std::string_view index,
                     std::string_view source) {
  const Status sound = ScipIndex::check(index);
  return sound ? write(directory, index, "", source)
               : write(directory, "", sound.error().message, source);
}

/// True if the file of `previous` was made from `source`, and is now a file of `directory`, too.
bool link_scip(const Snapshot& previous, std::string_view source,
               const std::filesystem::path& directory) {
  const auto known = previous.scip();
  if (!known || known->source() != source) return false;
  std::error_code failed;
  std::filesystem::create_hard_link(previous.directory() / ScipIndex::kFileName,
                                    directory / ScipIndex::kFileName, failed);
  return !failed;
}

}  // namespace

Status keep_scip(std::string_view index, const std::filesystem::path& directory) {
  return write_checked(directory, index, "");
}

Status keep_scip(const Beneath& root, const Signature& signature, const Snapshot* previous,
                 const std::filesystem::path& directory) {
  const std::string_view source(reinterpret_cast<const char*>(&signature), sizeof signature);
  if (previous != nullptr && link_scip(*previous, source, directory)) return {};
  const auto index = root.read(kScipSource, kMostScipBytes);
  if (index) return write_checked(directory, *index, source);
  switch (index.error().code) {
    case Code::kNotFound:
      return {};
    case Code::kResourceExhausted:
      return write(directory, "", "it has more than " + shown_size(kMostScipBytes), source);
    default:
      return write(directory, "", index.error().message, source);
  }
}

std::string scip_problem(const Snapshot& snapshot) {
  const auto index = snapshot.scip();
  if (!index || index->problem().empty()) return {};
  return std::string(kScipSource) + " is not used: " + std::string(index->problem());
}

}  // namespace quarry::corpus
