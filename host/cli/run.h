#pragma once

namespace quarry::cli {

/// The whole program: parses, dispatches, reports.
int run(int argc, const char* const* argv);

}  // namespace quarry::cli
