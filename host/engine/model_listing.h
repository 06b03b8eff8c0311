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

/// How long listing models may take, of all providers together.
inline constexpr std::chrono::seconds kListingLimit{3};

/// What one source answered when it was asked for its models.
struct Listed {
  std::vector<plugins::ModelInfo> models;
  std::optional<Error> failure;  ///< why it cannot be reached; its message alone is for people
};

/// The models that sources offer, each list kept once it came with any. Thread-safe.
class ModelListing {
 public:
  using Source = const ModelSource*;

  /// Must outlive it.
  explicit ModelListing(services::SecretStore& secrets) : secrets_(secrets) {}

  /// The list of one source, from memory if it came before. kUnsupported when the provider has
  /// none. [worker]
  Result<std::vector<plugins::ModelInfo>> of(const ModelSource& source,
                                             const std::stop_token& stop);
  /// What came before. [any thread]
  [[nodiscard]] std::optional<std::vector<plugins::ModelInfo>> known(std::string_view id) const;
  /// Asks every source anew, all at once, and answers in their order after kListingLimit at most.
  /// A provider without a list counts as reached. [worker]
  std::vector<Listed> all(const std::vector<Source>& sources, const std::stop_token& stop);

 private:
  using Deadline = std::chrono::steady_clock::time_point;
  Result<std::vector<plugins::ModelInfo>> ask(const ModelSource& source,
                                              const std::stop_token& stop, Deadline deadline);

  services::SecretStore& secrets_;
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<plugins::ModelInfo>, std::less<>> known_;
};

/// Why a secret is not to be had: "OPENAI_API_KEY is not set". Nothing when it is. [worker]
std::optional<std::string> missing_reason(const std::string& secret, services::SecretStore& secrets,
                                          const std::stop_token& stop);

/// The failure of a source whose secrets are not to be had; nothing when they are, or are among
/// `given`. [worker]
std::optional<Error> missing_secret(const ModelSource& source, services::SecretStore& secrets,
                                    const std::stop_token& stop,
                                    const std::vector<std::string>& given = {});

/// `why` as the reason that a source cannot be asked: ProviderNotAuthenticatedError when its server
/// refused the credentials, else ProviderNotConnectedError.
Error not_connected(const ModelSource& source, Error why);

}  // namespace quarry::engine
