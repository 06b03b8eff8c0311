#pragma once

#include "base/error.h"
#include "config/config.h"
#include "engine/host_services.h"
#include "engine/retrieval_providers.h"
#include "plugins/manifest.h"
#include "plugins/model_provider.h"
#include "plugins/pricing_catalogue.h"
#include "plugins/registry.h"
#include "plugins/resource_type.h"
#include "services/call.h"
#include "services/paths.h"
#include "services/redactor.h"
#include "services/workers.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

namespace quarry::authoring {

/// One plugin, loaded by itself with the services of the host, for its author. It runs from a copy
/// of the files that its manifest names, isolated as it would be, with caches and data of its own
/// that the installed plugin of the same id does not see. Used from one thread at a time.
class PluginTrial {
 public:
  /// `folder`: of the manifest. The log has all levels.
  static Result<std::unique_ptr<PluginTrial>> start(config::Config config,
                                                    const std::filesystem::path& folder,
                                                    bool isolated);
  ~PluginTrial();
  PluginTrial(const PluginTrial&) = delete;
  PluginTrial& operator=(const PluginTrial&) = delete;

  [[nodiscard]] const plugins::Manifest& manifest() const { return manifest_; }
  [[nodiscard]] const config::Config& config() const { return config_; }
  [[nodiscard]] bool isolated() const { return isolated_; }
  /// For the scratch directory of a fetch.
  [[nodiscard]] std::filesystem::path scratch() const { return folder_.path() / "scratch"; }
  [[nodiscard]] const services::Redactor& redactor() const { return host_->redactor; }

  // The component as its table in the configuration makes it.
  Result<std::shared_ptr<plugins::ResourceType>> resource_type(const std::string& name);
  /// A provider, and the model and options that its table names.
  struct Provider {
    std::shared_ptr<plugins::ModelProvider> made;
    std::string model;
    std::string options;
  };
  Result<Provider> model_provider(const std::string& name);
  Result<std::shared_ptr<plugins::PricingCatalogue>> pricing(const std::string& name);

  Result<plugins::ExchangeDescription> describe_retrieval(const std::string& kind,
                                                          const std::string& name);
  /// An encoder or a reranker. `model`: empty = the configured one of this component.
  Result<engine::RetrievalProviders> retrieval(const std::string& kind, const std::string& name,
                                               const std::string& model);

  /// One step of a model, in either form and without retries. The sink gets its finish or error,
  /// unless this fails. [worker]
  Status generate(const services::Call& call, plugins::ModelProvider& provider,
                  std::string_view chat_request, plugins::ModelSink& sink);

  /// Largest memory so far of the plugin's process, or of this one if it is not isolated, in bytes;
  /// empty if unknown.
  [[nodiscard]] std::optional<std::uint64_t> peak_memory() const;

 private:
  using Guard = boost::asio::executor_work_guard<boost::asio::io_context::executor_type>;

  PluginTrial(config::Config config, bool isolated, engine::HostServicesPointer host,
              services::TempDirectory folder, plugins::Manifest manifest);
  Status load();
  void permit(std::vector<services::Endpoint> endpoints);

  const config::Config config_;
  const bool isolated_;
  const engine::HostServicesPointer host_;
  std::unique_ptr<plugins::Registry> registry_;
  const services::TempDirectory folder_;  ///< its parent is searched for plugins
  const plugins::Manifest manifest_;
  Guard guard_;
  std::optional<services::NamedLoop> loop_;
};

}  // namespace quarry::authoring
