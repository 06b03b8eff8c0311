#pragma once

#include "cli/doctor/finding.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace quarry::cli {

// What the machine offers and permits. Each function examines one thing and changes nothing.

using Environment = std::function<const char*(const char* name)>;

/// The clock, by files that were written before now.
Findings check_clock(const std::vector<std::filesystem::path>& files,
                     std::filesystem::file_time_type now);
/// `most`: descriptors that the program may have; nothing = no limit.
Findings check_descriptors(std::optional<std::uint64_t> most);
/// `most`: directories that may be watched for changes; nothing = not known.
Findings check_watches(std::optional<std::uint64_t> most);
/// `most`: bytes of memory of the control group; nothing = no limit.
Findings check_memory(std::optional<std::uint64_t> most);
/// `most`: bytes of the process's address space, into which indexes are mapped; nothing = no limit.
Findings check_address_space(std::optional<std::uint64_t> most);
/// What the kernel lacks to keep plugins that run in processes of their own from `files`, and from
/// the `rest`: network, programs, other processes.
Findings check_sandbox(bool files, bool rest);
/// The locale of the environment: whether it exists, and whether its texts are UTF-8.
Findings check_locale(const Environment& environment);
/// The authorities that sign certificates of servers.
Findings check_authorities(const Environment& environment);
/// The proxies of the environment: whether something listens there. Blocks for seconds.
Findings check_proxies(const Environment& environment);
/// Whether the hosts in `urls` have addresses. Blocks for seconds.
Findings check_names(const std::vector<std::string>& urls);

/// A program that resources of a type need: a bare name, or an absolute path.
struct NeededProgram {
  std::string program;
  std::string type;
  std::string oldest = {};  ///< version, numbers between dots; empty = any
};
/// Whether the programs are there, by PATH, and not too old: runs `<program> --version`, for at
/// most `limit`, of those with a bare name and an oldest version. One that does not tell is not
/// judged.
Findings check_programs(const std::vector<NeededProgram>& needed, const Environment& environment,
                        std::chrono::milliseconds limit = std::chrono::seconds(2));

/// The limits of this process and machine.
std::optional<std::uint64_t> most_descriptors();
std::optional<std::uint64_t> most_watches();
std::optional<std::uint64_t> most_memory();
std::optional<std::uint64_t> most_address_space();

}  // namespace quarry::cli
