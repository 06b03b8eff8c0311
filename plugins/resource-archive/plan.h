#pragma once

#include "resource-archive/reader.h"
#include "resource-archive/source.h"
#include "resource_files/left_out.h"
#include "resource_files/unpack_budget.h"

#include <map>
#include <string>
#include <vector>

namespace quarry::resource_archive {

struct Limits {
  std::uint64_t download = std::uint64_t{2} << 30U;
  std::uint64_t unpacked = std::uint64_t{16} << 30U;
  std::size_t members = 2'000'000;
  std::size_t names = std::size_t{256} << 20U;  ///< bytes of all names

  /// What an archive of `packed` bytes may unpack to.
  [[nodiscard]] resource_files::UnpackBudget budget(std::uint64_t packed) const {
    return {{.entries = members, .bytes = unpacked}, packed};
  }
};

/// The failure of an archive that unpacks to `exceeded`.
Failure too_much(const std::string& exceeded);

using resource_files::LeftOut;

/// What stands at a path.
struct Slot {
  std::size_t member = 0;  ///< whose content it has, counted from 0
  std::uint64_t size = 0;
  bool link = false;  ///< a symbolic link
  bool copy = false;  ///< a hard link, which gets the content of its target once more
};

class Plan {
 public:
  explicit Plan(const Source& source) : source_(source) {}

  /// Adds the members in their order; false when they have too many bytes of names.
  bool add(const Member& member, std::size_t number, const Limits& limits);

  std::map<std::string, Slot> slots;  ///< by path, after strip
  LeftOut outside;
  LeftOut special;
  LeftOut dangling;
  LeftOut encrypted;
  LeftOut unreadable;
  LeftOut blocked;
  LeftOut long_paths;
  LeftOut repeated;
  LeftOut unsupported;
  std::vector<std::string> top;  ///< first components, for messages

  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  void put(std::string path, const Slot& slot);
  void link(std::string path, const Member& member, std::size_t number);
  [[nodiscard]] bool is_blocked(const std::string& path) const;
  void see_top(std::string_view path);

  const Source& source_;
  std::size_t name_bytes_ = 0;
};

/// Reads every member's header. A failure: the archive is damaged or too large.
Outcome<Plan> make_plan(const Call& call, const Source& source, const std::string& file,
                        const Limits& limits);

}  // namespace quarry::resource_archive
