#pragma once

#include "resources/preparation_context.h"
#include "resources/request.h"
#include "resources/tree_sink.h"

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace quarry::resources {

/// One run: resolves the version of a source and creates its snapshot. On a worker.
class Preparation {
 public:
  Preparation(const PreparationContext& context, const Order& order, PreparationRun& run);
  /// Leaves `name` and `resource` of the result empty.
  Result<Prepared> run();

 private:
  Result<Leased> current();
  Result<Leased> current_with_eviction();
  Result<Leased> as_locked(plugins::ResourceType& type);
  Error moved(plugins::ResourceType& type, const Error& why);
  Result<Leased> of_version(plugins::ResourceType& type, const plugins::ResourceVersion& version);
  Result<Leased> fetch(plugins::ResourceType& type, const plugins::ResourceVersion& version);
  [[nodiscard]] Prepared answer(const Leased& leased) const;
  Result<Leased> read_in_place(const std::filesystem::path& root, const std::string& display);
  Result<Leased> pack(const std::filesystem::path& root, const corpus::TreeState& tree,
                      const std::string& name, const std::string& display);
  Result<Leased> known(const std::string& name);
  const Leased* previous_state();
  plugins::LastSnapshot last();
  Result<Prepared> last_known(Error why);
  [[nodiscard]] std::string name_before() const;
  Error of_plugin(Error why);
  [[nodiscard]] services::Call call();
  void watch(TreeSink* sink);
  void watch_space();

  const PreparationContext& context_;
  const Order& order_;
  const std::string source_text_;
  const std::string key_;
  Source& source_;
  PreparationRun& run_;
  std::stop_source stop_;  // of this attempt: when the run is stopped or the space is used up
  const std::stop_callback<std::function<void()>> on_stop_;
  std::mutex watch_;                  // guards the next two
  TreeSink* watched_sink_ = nullptr;  // while files are fetched
  Clock::Steady space_watched_at_;
  bool refused_ = false;
  const Clock::Steady begun_;
  std::uint64_t written_ = 0;  // bytes, by a failed attempt
  std::optional<plugins::ResourceVersion> resolved_;
  std::optional<Leased> previous_;
};

}  // namespace quarry::resources
