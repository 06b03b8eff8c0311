#include "corpus/snapshot/file_system_kind.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <sys/vfs.h>

namespace quarry::corpus {
namespace {

struct Kind {
  std::uint32_t magic;
  std::string_view name;
};

// Numbers of linux/magic.h and of the kernel's fs folders, not all of which are in a header.
constexpr auto kKinds = std::to_array<Kind>({
    {0x6969, "NFS"},
    {0x517B, "SMB"},
    {0xFF534D42, "CIFS"},
    {0xFE534D42, "SMB2"},
    {0x65735546, "FUSE"},
    {0x00C36400, "Ceph"},
    {0x01021997, "9P"},
    {0x794C7630, "overlay"},
    {0x47504653, "GPFS"},
    {0x0BD00BD0, "Lustre"},
    {0x5346414F, "AFS"},
    {0x786F4256, "VirtualBox shared folder"},
});

}  // namespace

std::string unwatchable(std::uint32_t magic) {
  const auto* const kind = std::ranges::find(kKinds, magic, &Kind::magic);
  if (kind == kKinds.end()) return {};
  return "it is on a file system whose changes the kernel may not report (" +
         std::string(kind->name) + ")";
}

std::string unwatchable(const std::string& path) {
  struct statfs status {};
  if (::statfs(path.c_str(), &status) != 0) return {};
  return unwatchable(static_cast<std::uint32_t>(status.f_type));
}

}  // namespace quarry::corpus
