#include "corpus/segment/link_segment.h"

#include "base/directory_entries.h"
#include "base/file.h"
#include "corpus/segment/segment.h"

namespace quarry::corpus {
namespace fs = std::filesystem;

bool link_segment(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directory(to, error);
  for (const auto& entry : entries_of(from, error)) {
    const fs::path name = entry.path().filename();
    // A name that begins with a dot is still being written.
    if (!name.string().starts_with('.')) fs::create_hard_link(entry.path(), to / name, error);
    if (error) break;
  }
  // Its tables may have been damaged since they were read into memory.
  if (!error && sync_directory(to) && Segment::open(to)) return true;
  fs::remove_all(to, error);
  return false;
}

}  // namespace quarry::corpus
