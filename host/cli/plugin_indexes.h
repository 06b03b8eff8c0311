#pragma once

#include "base/error.h"
#include "base/minisign.h"
#include "cli/verb.h"
#include "cli/web_session.h"
#include "config/config.h"
#include "plugins/http_files.h"
#include "plugins/index_cache.h"
#include "services/call.h"
#include "services/paths.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace quarry::cli {

/// `[plugins] trusted_keys`.
Result<std::vector<MinisignKey>> trusted_keys(const config::Config& config);

/// A call that an interrupt ends. `context` must outlive it.
services::Call interruptible_call(Context& context);

/// The configured indexes of plugins.
class PluginIndexes {
 public:
  /// `only`: the name of the one to use; empty = all. Fails, with what to set, if there is none.
  static Result<PluginIndexes> open(const config::Config& config, const std::string& only);

  /// Indexes that were read, and the causes of the others.
  struct Read {
    std::vector<plugins::ReadIndex> indexes;
    std::vector<Error> problems;
  };
  /// Each as its server has it now, or its copy; a warning is printed for each copy. `offline`:
  /// nothing but copies.
  Read read(Context& context, bool offline);
  /// A file that an index names.
  Result<plugins::WebResponse> get(const services::Call& call, const plugins::WebRequest& request,
                                   const plugins::WebFiles::Write& write);

 private:
  PluginIndexes(plugins::IndexCache cache, std::vector<plugins::IndexSource> sources,
                std::unique_ptr<WebSession> web)
      : cache_(std::move(cache)), sources_(std::move(sources)), web_(std::move(web)) {}

  plugins::IndexCache cache_;
  std::vector<plugins::IndexSource> sources_;
  std::unique_ptr<WebSession> web_;
};

/// A plugin in an index.
struct Offer {
  const plugins::ReadIndex* index = nullptr;
  const plugins::IndexedPlugin* plugin = nullptr;
};

/// The plugin in the one index that has it; kInvalidArgument, with their names, if several have;
/// kNotFound, with the nearest id.
Result<Offer> find_offer(const std::vector<plugins::ReadIndex>& indexes, const std::string& id);

/// A version that an index has for this host.
struct OfferedVersion {
  std::string version;
  std::string index;
};
using OfferedVersions = std::map<std::string, OfferedVersion>;  ///< by id
/// The highest versions in the copies of the configured indexes; those that cannot be read are left
/// out. Uses no network.
OfferedVersions versions_in_copies(const config::Config& config);

/// "2 hours", of at least a minute.
std::string age_words(std::chrono::seconds age);

}  // namespace quarry::cli
