#pragma once

#include "resources/flights.h"
#include "resources/library.h"
#include "resources/sources.h"
#include "resources/store.h"

#include <string>

namespace quarry::resources {

/// What preparations share.
struct Workshop {
  const Options& options;
  const Surroundings& surroundings;
  Store& store;
  Flights& flights;
};

/// One run: finds the version a source is at, and its snapshot. On a worker.
class Preparation {
 public:
  Preparation(Workshop workshop, const Json& resource, const std::string& source_text,
              Source& source, Flight& flight);
  /// Name and resource of the value are left empty.
  Result<Prepared> run();

 private:
  Result<Leased> current();
  Result<Leased> of_version(plugins::ResourceType& type, const plugins::ResourceVersion& version);
  Result<Leased> fetch(plugins::ResourceType& type, const plugins::ResourceVersion& version);
  Result<Leased> read_in_place(const std::filesystem::path& root, const std::string& display);
  Result<Leased> pack(const std::filesystem::path& root, const corpus::TreeState& tree,
                      const std::string& name, const std::string& display);
  Result<Leased> known(const std::string& name);
  Result<Leased> lease_again();
  std::shared_ptr<const corpus::Snapshot> previous_state();
  Result<Prepared> last_known(Error why);
  void adopt(const Leased& leased);
  void tidy_in_background(const Leased& leased);
  [[nodiscard]] plugins::Call call() const;

  Workshop workshop_;
  const Json& resource_;
  const std::string& source_text_;
  std::string key_;
  Source& source_;
  Flight& flight_;
};

}  // namespace quarry::resources
