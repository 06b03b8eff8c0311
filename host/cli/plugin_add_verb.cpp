#include "base/printable.h"
#include "base/text.h"
#include "cli/component_schemas.h"
#include "cli/confirm.h"
#include "cli/connection.h"
#include "cli/plugin_checks.h"
#include "cli/plugin_origin.h"
#include "cli/plugin_words.h"
#include "cli/verbs.h"
#include "plugins/installed_plugins.h"
#include "plugins/plugin_archive.h"
#include "plugins/plugin_files.h"
#include "plugins/plugin_signature.h"
#include "plugins/validation.h"
#include "runner/isolate.h"
#include "services/paths.h"
#include "services/process.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kUnpackLimit{60};

struct PluginAddOptions {
  std::string source;
  bool yes = false;
  bool may_be_unsigned = false;
};

Result<std::vector<MinisignKey>> trusted_keys(const config::Config& config) {
  std::vector<MinisignKey> keys;
  for (const auto& text : config.plugins.trusted_keys) {
    auto key = parse_minisign_key(text);
    if (!key) return std::move(key.error()).in("[plugins] trusted_keys").tagged("ConfigError");
    keys.push_back(std::move(*key));
  }
  return keys;
}

/// The directory of the plugin that a user named, unpacked if it is an archive.
class PluginSource {
 public:
  PluginSource(const std::string& named, services::Paths::Roots roots)
      : path_(fs::absolute(named).lexically_normal()), paths_(std::move(roots)) {}

  Result<fs::path> directory(Context& context) {
    std::error_code ignored;
    if (fs::is_directory(path_, ignored)) return path_;
    if (!fs::exists(path_, ignored)) {
      return Error(Code::kNotFound, "there is no " + path_.string(),
                   "name a folder with a plugin.toml, or an archive of one");
    }
    if (path_.filename() == plugins::kManifestFile) return path_.parent_path();
    if (plugins::is_archive(path_)) return unpack(context);
    return Error(Code::kInvalidArgument,
                 path_.string() + " is no folder, plugin.toml or archive (.tar.zst, .tar.gz, .tgz)",
                 "name the folder of the plugin, its plugin.toml, or an archive");
  }
  [[nodiscard]] std::string text() const { return path_.string(); }

 private:
  Result<fs::path> unpack(Context& context) {
    auto made = paths_.temp("plugin-");
    if (!made) return made.error();
    unpacked_.emplace(std::move(*made));
    const auto programs = services::ProcessRunner::of_environment();
    const services::Call call{.deadline = SystemClock().steady_now() + kUnpackLimit,
                              .state = [&context, interrupted = false]() mutable {
                                interrupted = interrupted || context.signals.wait(
                                                                 -1, std::chrono::milliseconds(0));
                                return interrupted ? Code::kCancelled : Code::kOk;
                              }};
    auto done = plugins::unpack_plugin(path_, unpacked_->path(), programs, call);
    if (!done) return std::move(done.error());
    return unpacked_->path();
  }

  const fs::path path_;
  services::Paths paths_;
  std::optional<services::TempDirectory> unpacked_;
};

/// One installation, from the checked copy to its row in the lock file.
class Installation {
 public:
  Installation(const PluginAddOptions& options, Context& context, const config::Config& config,
               const plugins::InstalledPlugins& installed, std::string source)
      : options_(options),
        context_(context),
        config_(config),
        installed_(installed),
        source_(std::move(source)) {}

  Result<ExitCode> run(const fs::path& directory) {
    if (auto sound = plugins::validate(directory, {}).status(); !sound) return sound.error();
    const auto staged = installed_.stage(directory);
    if (!staged) return staged.error();
    const auto& manifest = staged->manifest;
    // The folder may have changed since it was checked.
    if (auto sound = plugins::validate(manifest.path, {}).status(); !sound) return sound.error();
    if (auto free = check_free(manifest); !free) return free.error();
    auto signature = signature_of(manifest);
    if (!signature) return std::move(signature.error());
    signature_ = std::move(*signature);
    if (auto agreed = review(manifest); !agreed) return agreed.error();
    const bool isolated = is_isolated(manifest, config_.plugins);
    if (auto loads = load_apart(manifest, isolated); !loads) {
      return std::move(loads.error()).in("plugin " + manifest.id + " is not installed");
    }
    const auto may = runner::check_isolatable(manifest);
    if (isolated && !may) {
      context_.terminal.note("warning: " + may.error().message + "; " + may.error().hint);
    }
    return install(*staged);
  }

 private:
  Result<plugins::PluginSignature> signature_of(const plugins::Manifest& manifest) const {
    const auto trusted = trusted_keys(config_);
    if (!trusted) return trusted.error();
    return plugins::check_signature(manifest, *trusted, options_.may_be_unsigned);
  }

  /// The program's own plugins come first, and would be used instead.
  Status check_free(const plugins::Manifest& manifest) const {
    for (const auto& other : find_plugins(config_).manifests) {
      if (other.id != manifest.id) continue;
      const auto origin = origin_of(other);
      const auto folder = other.path.parent_path().string();
      if (origin.from == PluginOrigin::From::kProgram) {
        return Error(Code::kInvalidArgument,
                     "plugin " + manifest.id + " came with this program, in " + folder,
                     "give the other plugin an id of its own");
      }
      if (origin.from == PluginOrigin::From::kPath) {
        context_.terminal.note("warning: plugin " + manifest.id + " in " + folder +
                               ", which plugin_path names, is not used any more");
      }
    }
    return {};
  }

  [[nodiscard]] PluginRows rows(const plugins::Manifest& manifest) const {
    PluginRows rows{{"licence", manifest.licence}};
    add_components(rows, manifest);
    add_permissions(rows, manifest.permissions);
    rows.emplace_back("isolation", is_isolated(manifest, config_.plugins)
                                       ? "in a process of its own"
                                       : "none: it runs in the process of the host");
    rows.emplace_back("signature", signature_.words);
    rows.emplace_back("source", source_);
    const auto lock = plugins::PluginLock::read(installed_.directory());
    const auto* before = lock ? lock->find(manifest.id) : nullptr;
    if (before == nullptr) return rows;
    rows.emplace_back("replaces", before->version + " from " + before->source);
    if (before->key.empty() || before->key == signature_.key) return rows;
    rows.emplace_back("", "which was signed by key " + before->key);
    return rows;
  }

  /// Fails unless the user agrees.
  Status review(const plugins::Manifest& manifest) {
    if (!context_.common.json) print_plugin(context_.terminal, manifest, rows(manifest));
    if (signature_.overridden) {
      context_.terminal.note("warning: plugin " + manifest.id + ": " + signature_.words);
    }
    if (options_.yes) return {};
    const auto said = can_ask(context_) ? ask_yes(context_, "Install it?") : Result<bool>(false);
    if (!said) return said.error();
    if (*said) return {};
    return Error(
        Code::kInvalidArgument, "plugin " + manifest.id + " is not installed",
        "to install it without a question: quarry plugins add --yes " + shell_word(source_));
  }

  Result<ExitCode> install(const plugins::StagedPlugin& staged) {
    const auto& manifest = staged.manifest;
    const auto folder = installed_.folder(manifest.id).string();
    auto replaced = installed_.install(staged, {.source = source_, .key = signature_.key});
    if (!replaced) return std::move(replaced.error());
    if (!context_.common.json) {
      context_.terminal.out_line("installed " + manifest.id + " " +
                                 printable_exact(manifest.version) + " in " + folder);
      return ExitCode::kOk;
    }
    Json out{{"id", manifest.id},
             {"version", manifest.version},
             {"folder", folder},
             {"sha256", manifest.sha256},
             {"manifestSha256", manifest.own_sha256},
             {"source", source_},
             {"key", nullptr},
             {"replaced", nullptr}};
    if (!signature_.key.empty()) out["key"] = signature_.key;
    if (!replaced->id.empty()) out["replaced"] = replaced->version;
    context_.terminal.out_json(to_text(out));
    return ExitCode::kOk;
  }

  const PluginAddOptions& options_;
  Context& context_;
  const config::Config& config_;
  const plugins::InstalledPlugins& installed_;
  const std::string source_;
  plugins::PluginSignature signature_;
};

Result<ExitCode> run_plugins_add(const PluginAddOptions& options, Context& context) {
  const auto config = config::load(config_sources(context.common));
  if (!config) return config.error();
  auto roots = services::Paths::roots([](const char* name) { return std::getenv(name); });
  if (!roots) return std::move(roots.error()).tagged("ConfigError");
  if (!config->cache.directory.empty()) roots->cache = config->cache.directory;
  const plugins::InstalledPlugins installed(roots->installed_plugins());
  PluginSource source(options.source, *roots);
  const auto directory = source.directory(context);
  if (!directory) return directory.error();
  return Installation(options, context, *config, installed, source.text()).run(*directory);
}

}  // namespace

Verb plugins_add_verb(CommonOptions& common) {
  const auto options = std::make_shared<PluginAddOptions>();
  return {
      "plugins add", "Install a plugin from a folder or an archive, or replace its version",
      with_json(common, {{"source",
                          "FOLDER|PLUGIN.TOML|ARCHIVE",
                          "The folder of its manifest, or an archive of that (.tar.zst, .tar.gz)",
                          &options->source,
                          {.required = true}},
                         {"-y,--yes", "", "Install it without asking", &options->yes},
                         {"--unsigned", "", "Permit it to have no signature of a trusted key",
                          &options->may_be_unsigned}}),
      [options](Context& context) { return run_plugins_add(*options, context); }};
}

}  // namespace quarry::cli
