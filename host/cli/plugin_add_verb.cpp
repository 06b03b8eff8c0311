#include "base/printable.h"
#include "base/text.h"
#include "cli/component_schemas.h"
#include "cli/confirm.h"
#include "cli/connection.h"
#include "cli/plugin_checks.h"
#include "cli/plugin_indexes.h"
#include "cli/plugin_origin.h"
#include "cli/plugin_source.h"
#include "cli/plugin_words.h"
#include "cli/verbs.h"
#include "engine/component_tables.h"
#include "engine/host_services.h"
#include "plugins/installed_plugins.h"
#include "plugins/plugin_signature.h"
#include "plugins/probe.h"
#include "plugins/similar_id.h"
#include "plugins/validation.h"
#include "runner/isolate.h"

#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

namespace fs = std::filesystem;

struct PluginAddOptions {
  std::string source;
  std::string index;
  bool yes = false;
  bool may_be_unsigned = false;
};

/// One installation, from the checked copy to its row in the lock file.
class Installation {
 public:
  Installation(const PluginAddOptions& options, Context& context, const config::Config& config,
               const plugins::InstalledPlugins& installed, const PluginSource& source)
      : options_(options),
        context_(context),
        config_(config),
        installed_(installed),
        source_(source) {}

  Result<ExitCode> run(const fs::path& directory) {
    if (auto sound = plugins::validate(directory, {}).status(); !sound) return sound.error();
    const auto staged = installed_.stage(directory);
    if (!staged) return staged.error();
    const auto& manifest = staged->manifest;
    // The folder may have changed since it was checked.
    if (auto sound = plugins::validate(manifest.path, {}).status(); !sound) return sound.error();
    if (auto as_named = source_.check(manifest); !as_named) return as_named.error();
    if (auto free = check_free(manifest); !free) return free.error();
    auto signature = signature_of(manifest);
    if (!signature) return std::move(signature.error());
    signature_ = std::move(*signature);
    if (auto agreed = review(manifest); !agreed) return agreed.error();
    const bool isolated = is_isolated(manifest, config_.plugins);
    const auto tables = plugins::tables_of(manifest, engine::component_tables(config_));
    if (auto loads = load_apart(manifest, isolated, tables); !loads) {
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

  /// A person may take the plugin for another one that is known here.
  void warn_of_similar(const std::string& id, const std::string& other) const {
    if (!plugins::looks_alike(id, other)) return;
    context_.terminal.note("warning: the id " + id + " looks like that of another plugin, " +
                           other);
  }

  /// The program's own plugins come first, and would be used instead.
  Status check_free(const plugins::Manifest& manifest) const {
    for (const auto& id : source_.offered_ids()) warn_of_similar(manifest.id, id);
    for (const auto& other : find_plugins(config_).manifests) {
      warn_of_similar(manifest.id, other.id);
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
    rows.emplace_back("source", source_.text());
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
    const auto chosen = options_.index.empty() ? "" : "--index " + options_.index + " ";
    return Error(Code::kInvalidArgument, "plugin " + manifest.id + " is not installed",
                 "to install it without a question: quarry plugins add --yes " + chosen +
                     shell_word(options_.source));
  }

  Result<ExitCode> install(const plugins::StagedPlugin& staged) {
    const auto& manifest = staged.manifest;
    const auto folder = installed_.folder(manifest.id).string();
    auto replaced = installed_.install(staged, {.source = source_.text(), .key = signature_.key});
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
             {"source", source_.text()},
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
  const PluginSource& source_;
  plugins::PluginSignature signature_;
};

Result<ExitCode> run_plugins_add(const PluginAddOptions& options, Context& context) {
  const auto config = config::load(config_sources(context.common));
  if (!config) return config.error();
  const auto roots = engine::roots_of(*config);
  if (!roots) return roots.error();
  const plugins::InstalledPlugins installed(roots->installed_plugins());
  PluginSource source(options.source, options.index, *config, *roots);
  const auto directory = source.directory(context);
  if (!directory) return directory.error();
  return Installation(options, context, *config, installed, source).run(*directory);
}

}  // namespace

Verb plugins_add_verb(CommonOptions& common) {
  const auto options = std::make_shared<PluginAddOptions>();
  return {
      "plugins add",
      "Install a plugin from a folder, an archive or an index, or replace its version",
      with_json(common, {{"source",
                          "FOLDER|PLUGIN.TOML|ARCHIVE|ID[@VERSION]",
                          "The folder of its manifest, an archive of that (.tar.zst, .tar.gz), or "
                          "its id in an index",
                          &options->source,
                          {.required = true}},
                         {"--index", "NAME", "Look into this index of [plugins.indexes] only",
                          &options->index},
                         {"-y,--yes", "", "Install it without asking", &options->yes},
                         {"--unsigned", "", "Permit it to have no signature of a trusted key",
                          &options->may_be_unsigned}}),
      [options](Context& context) { return run_plugins_add(*options, context); }};
}

}  // namespace quarry::cli
