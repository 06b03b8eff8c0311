#pragma once

#include "cli/verb.h"

namespace quarry::cli {

/// The whole of a program with these verbs: parses, dispatches, reports.
int run(int argc, const char* const* argv, MakeVerbs make_verbs = all_verbs);

}  // namespace quarry::cli
