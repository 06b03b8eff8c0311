#pragma once

#include "runner/packet.h"

#include <quarry/abi.h>

#include <cstdint>
#include <optional>
#include <string>

namespace quarry::runner {

/// First frame of the host: the plugin to load, and what the host offers to it.
struct Hello {
  std::uint32_t protocol = 0;
  std::string manifest = {};   ///< path
  std::string sha256 = {};     ///< of the plugin's file
  std::string version = {};    ///< of the host
  std::uint32_t services = 0;  ///< kOffers…
  std::uint64_t memory = 0;    ///< limit of private memory in bytes; 0 = none
  std::int32_t landlock = 0;   ///< SandboxOptions::landlock
  std::int32_t log_level = 0;  ///< lowest level of the lines that are kept
  std::string cache = {};      ///< the plugin's own directory; empty if there is none
  std::string data = {};       ///< likewise

  void write(PacketWriter& packet) const;
  /// Empty if the payload is malformed.
  static std::optional<Hello> read(std::string_view payload);
};

/// Fills in what `host` offers to the plugin. Creates its directories.
void describe_services(const quarry_host& host, Hello& hello);

}  // namespace quarry::runner
