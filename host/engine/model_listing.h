#pragma once

#include "base/error.h"
#include "engine/model_sources.h"
#include "services/secrets.h"

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::engine {

/// Time limit for listing the models of all providers together.
inline constexpr std::chrono::seconds kListingLimit{3};

/// Time limit for a server of this machine to accept a connection.
inline constexpr std::chrono::milliseconds kConnectLimit{50};

/// Result of asking one source for its models.
struct Listed {
  std::vector<plugins::ModelInfo> models;
  std::optional<Error> failure;  ///< why it cannot be reached; only its message is shown to users
};

/// The models that sources offer. A list is cached once it is not empty. Thread-safe.
class ModelListing {
 public:
  using Source = const ModelSource*;

  /// `secrets` must outlive it.
  explicit ModelListing(services::SecretStore& secrets) : secrets_(secrets) {}

  /// The list of one source, cached or fetched. kUnsupported if the provider has none. [worker]
  Result<std::vector<plugins::ModelInfo>> of(const ModelSource& source,
                                             const std::stop_token& stop);
  /// The cached list. [any]
  [[nodiscard]] std::optional<std::vector<plugins::ModelInfo>> known(std::string_view id) const;
  /// Fetches the lists of all sources at once and returns them in this order after kListingLimit at
  /// most. A provider without a list counts as reached. [worker]
  std::vector<Listed> all(const std::vector<Source>& sources, const std::stop_token& stop);

 private:
  using Deadline = std::chrono::steady_clock::time_point;
  Result<std::vector<plugins::ModelInfo>> ask(const ModelSource& source,
                                              const std::stop_token& stop, Deadline deadline);

  services::SecretStore& secrets_;
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<plugins::ModelInfo>, std::less<>> known_;
};

/// Cause why a secret is unavailable: "OPENAI_API_KEY is not set". Nothing if it is available.
/// [worker]
std::optional<std::string> missing_reason(const std::string& secret, services::SecretStore& secrets,
                                          const std::stop_token& stop);

/// Error of a source whose secrets are unavailable; nothing if they are available or among `given`.
/// [worker]
std::optional<Error> missing_secret(const ModelSource& source, services::SecretStore& secrets,
                                    const std::stop_token& stop,
                                    const std::vector<std::string>& given = {});

/// Error of a source that cannot be asked because of `why`: ProviderNotAuthenticatedError if its
/// server rejected the credentials, else ProviderNotConnectedError.
Error not_connected(const ModelSource& source, Error why);

}  // namespace quarry::engine
