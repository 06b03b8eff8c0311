#pragma once

#include "base/error.h"
#include "config/config.h"
#include "engine/engine.h"

#include <vector>

namespace quarry::engine {

/// What a start with this configuration, or a question about one of its resources, would be refused
/// for by the plugins themselves: makes every configured component and every transport to start,
/// and normalises every resource. Each error begins with its place in the files. Nothing listens,
/// fetches or asks a model; secrets of transports are read. `config` may lack what was mistaken in
/// the files. [control]
std::vector<Error> try_configuration(const config::Config& config, const Options& options);

}  // namespace quarry::engine
