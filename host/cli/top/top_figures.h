#pragma once

#include "base/json.h"
#include "cli/top/metrics_text.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace quarry::cli {

/// What a server does, from two readings of its metrics.
struct TopFigures {
  struct Model {
    std::string provider;
    std::string name;
    double calls = 0;
    double failed = 0;            ///< of the calls
    double input_per_second = 0;  ///< tokens, between the readings
    double output_per_second = 0;
    std::optional<double> cost_usd;  ///< nothing without known rates
  };
  struct Plugin {
    std::string id;
    double crashes = 0;
    double given_up = 0;  ///< calls that did not return
  };

  bool ready = false;
  double problems = 0;
  double seconds_up = 0;
  double questions_running = 0;
  double questions_limit = 0;
  double questions = 0;  ///< ended since the start
  double questions_failed = 0;
  double questions_per_second = 0;
  double streams = 0;  ///< open ones of all transports
  double requests_per_second = 0;
  double tools_per_second = 0;
  double fetches = 0;
  double fetches_failed = 0;
  double resources = 0;
  double processors = 0;  ///< 1 = one processor was busy all the time
  double resident_bytes = 0;
  double descriptors = 0;
  double descriptors_limit = 0;
  double threads = 0;
  double jobs_waiting = 0;
  double cache_bytes = 0;
  double cache_limit_bytes = 0;
  std::vector<Model> models;    ///< the one with the most output tokens first
  std::vector<Plugin> plugins;  ///< those that crashed or hung
};

/// `seconds` have passed between the readings, more than 0. `now`: seconds since 1970.
TopFigures figures_of(const MetricsText& before, const MetricsText& after, double seconds,
                      double now);

/// One object, as in docs/operations.md.
Json to_json(const TopFigures& figures);

/// The same for a person, in lines.
std::vector<std::string> lines_of(const TopFigures& figures);

}  // namespace quarry::cli
