#pragma once

#include "base/error.h"
#include "plugins/store.h"

#include <filesystem>
#include <functional>

namespace quarry::backup {

/// Ends a long work with kCancelled once it returns true.
using Cancelled = std::function<bool()>;

/// The error of a work that was cancelled.
[[nodiscard]] Error cancelled_error();

/// Writes the dump of an opened store to `dump`, and its audit to `audit`, one entry a line, the
/// newest first. New files with mode 0600; other hosts may use the store meanwhile.
Status write_store(plugins::Store& store, const std::filesystem::path& dump,
                   const std::filesystem::path& audit, const Cancelled& cancelled);

/// Adds the entries of `audit` that an opened store does not have, and then replaces everything
/// else by `dump`, in one transaction. May be repeated after an end at any moment.
Status load_store(plugins::Store& store, const std::filesystem::path& dump,
                  const std::filesystem::path& audit, const Cancelled& cancelled);

}  // namespace quarry::backup
