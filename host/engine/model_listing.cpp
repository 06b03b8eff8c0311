#include "engine/model_listing.h"

#include "ask/model_failure.h"
#include "services/endpoint.h"
#include "services/workers.h"

#include <algorithm>
#include <latch>

namespace quarry::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kMostAtOnce = 8;

/// Connects to a server of this machine, for a quick error if it does not run.
Status try_connect(const std::string& url) {
  const auto endpoint = services::parse_endpoint(url);
  if (!endpoint || !services::is_loopback(*endpoint)) return {};
  const Status connected = services::try_connect(*endpoint, kConnectLimit);
  if (connected) return {};
  const std::string literal =
      endpoint->host.find(':') == std::string::npos ? endpoint->host : "[" + endpoint->host + "]";
  const std::string scheme = url.substr(0, url.find(':'));
  return Error{Code::kUnavailable,
               connected.error().message + " at " + scheme + "://" + literal + ":" +
                   std::to_string(endpoint->port),
               "Start the server, or correct base_url."}
      .tagged("ProviderNotConnectedError");
}

}  // namespace

std::optional<std::string> missing_reason(const std::string& secret, services::SecretStore& secrets,
                                          const std::stop_token& stop) {
  secrets.offer(secret);
  services::Call call;
  call.stop = stop;
  const auto value = secrets.get(secret, call);
  if (value) return std::nullopt;
  const std::string& message = value.error().message;
  static constexpr std::string_view kVariable = "the environment variable ";
  const std::size_t at = message.find(kVariable);
  return at == std::string::npos ? message : message.substr(at + kVariable.size());
}

std::optional<Error> missing_secret(const ModelSource& source, services::SecretStore& secrets,
                                    const std::stop_token& stop,
                                    const std::vector<std::string>& given) {
  for (const std::string& need : source.made->describe().needs) {
    if (std::ranges::find(given, need) != given.end()) continue;
    const auto reason = missing_reason(need, secrets, stop);
    if (!reason) continue;
    return Error{
        Code::kUnauthenticated, *reason,
        "Set the variable before the host starts, or name the key in quarry.toml, as in "
        "api_key = { env = \"NAME\" }, { file = \"/path\" } or { command = [\"program\"] }."}
        .tagged("ProviderNotConnectedError");
  }
  return std::nullopt;
}

Error not_connected(const ModelSource& source, Error why) {
  const bool refused = why.code == Code::kUnauthenticated && why.tag.empty();
  if (refused && why.hint.empty()) why.hint = ask::kCheckTheKey;
  return std::move(why)
      .in("the model provider \"" + source.id + "\" cannot be asked")
      .tagged(refused ? "ProviderNotAuthenticatedError" : "ProviderNotConnectedError");
}

Result<std::vector<plugins::ModelInfo>> ModelListing::of(const ModelSource& source,
                                                         const std::stop_token& stop) {
  if (auto models = known(source.id)) return std::move(*models);
  return ask(source, stop, steady_clock::now() + kListingLimit);
}

std::optional<std::vector<plugins::ModelInfo>> ModelListing::known(std::string_view id) const {
  std::lock_guard lock(mutex_);
  const auto found = known_.find(id);
  if (found == known_.end()) return std::nullopt;
  return found->second;
}

Result<std::vector<plugins::ModelInfo>> ModelListing::ask(const ModelSource& source,
                                                          const std::stop_token& stop,
                                                          Deadline deadline) {
  // Fetches the secrets here, so that the HTTP client need not wait for a free worker.
  if (auto missing = missing_secret(source, secrets_, stop)) return std::move(*missing);
  const Status connected = try_connect(source.made->describe().endpoint);
  if (!connected) return connected.error();
  auto models = source.made->models({stop, deadline, {}});
  if (models) {
    std::lock_guard lock(mutex_);
    if (!models->empty()) known_.insert_or_assign(source.id, *models);
  } else if (models.error().code == Code::kDeadlineExceeded) {
    models.error().message = "no answer within " + std::to_string(kListingLimit.count()) + " s";
  }
  return models;
}

std::vector<Listed> ModelListing::all(const std::vector<Source>& sources,
                                      const std::stop_token& stop) {
  std::vector<Listed> out(sources.size());
  if (sources.empty()) return out;
  const auto deadline = steady_clock::now() + kListingLimit;
  const auto list = [&](std::size_t i) {
    auto models = ask(*sources[i], stop, deadline);
    if (models) {
      out[i].models = std::move(*models);
    } else if (models.error().code != Code::kUnsupported) {
      out[i].failure = std::move(models).error();
    }
  };
  // Separate threads, because slow providers must not delay the tools of questions.
  services::WorkerPool workers(std::min(sources.size(), kMostAtOnce));
  std::latch done(static_cast<std::ptrdiff_t>(sources.size()));
  for (std::size_t i = 0; i < sources.size(); ++i) {
    workers.submit([&, i] {
      list(i);
      done.count_down();
    });
  }
  const services::BlockedWorker waits;
  done.wait();
  return out;
}

}  // namespace quarry::engine
