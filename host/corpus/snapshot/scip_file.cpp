#include "corpus/snapshot/scip_file.h"

#include "base/file.h"
#include "corpus/scip/scip_index.h"
#include "corpus/snapshot/pack.h"
#include "corpus/text/display.h"

#include <string>

namespace quarry::corpus {
namespace {

Status write(const std::filesystem::path& directory, std::string_view index,
             std::string_view problem) {
  return write_file_atomically(directory / ScipIndex::kFileName,
                               ScipIndex::bytes_of(index, problem));
}

}  // namespace

Status keep_scip(std::string_view index, const std::filesystem::path& directory) {
  const Status sound = ScipIndex::check(index);
  return sound ? write(directory, index, "") : write(directory, "", sound.error().message);
}

Status keep_scip(const Beneath& root, const std::filesystem::path& directory) {
  const auto index = root.read(kScipSource, kMostScipBytes);
  if (index) return keep_scip(*index, directory);
  switch (index.error().code) {
    case Code::kNotFound:
      return {};
    case Code::kResourceExhausted:
      return write(directory, "", "it has more than " + shown_size(kMostScipBytes));
    default:
      return write(directory, "", index.error().message);
  }
}

std::string scip_problem(const Snapshot& snapshot) {
  const auto index = snapshot.scip();
  if (!index || index->problem().empty()) return {};
  return std::string(kScipSource) + " is not used: " + std::string(index->problem());
}

}  // namespace quarry::corpus
