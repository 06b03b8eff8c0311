#pragma once

#include "cli/doctor/finding.h"

#include <filesystem>
#include <string>
#include <vector>

namespace quarry::cli {

/// An address that a transport listens at.
struct ListenAddress {
  std::string transport;  ///< "rest"
  std::string address;    ///< as configured: "127.0.0.1:8080"
};

/// Whether the addresses are free, or taken by a server of Quarry. Listens there for a moment; may
/// block for seconds.
Findings check_addresses(const std::vector<ListenAddress>& addresses);

/// Whether processes of this user run `program` as it was before it was replaced. `processes`: the
/// directory of the kernel's process files.
Findings check_processes(const std::filesystem::path& program,
                         const std::filesystem::path& processes = "/proc");

}  // namespace quarry::cli
