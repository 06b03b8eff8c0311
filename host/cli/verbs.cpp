#include "cli/verbs.h"

#include <algorithm>
#include <iterator>

namespace quarry::cli {
namespace {

using MakeVerb = Verb (*)(CommonOptions&);

// In the order of the help; a nested verb follows the verb above it.
constexpr MakeVerb kFirstVerbs[] = {serve_verb, ask_verb, chat_verb};
constexpr MakeVerb kVerbs[] = {
    remove_verb,
    resources_verb,
    resources_list_verb,
    resources_show_verb,
    search_verb,
    grep_verb,
    symbols_verb,
    list_verb,
    read_verb,
    sync_verb,
    lock_verb,
    clear_verb,
    models_verb,
    models_setup_verb,
    models_use_verb,
    usage_verb,
    threads_verb,
    threads_list_verb,
    threads_show_verb,
    threads_export_verb,
    threads_search_verb,
    threads_rename_verb,
    threads_remove_verb,
    projects_verb,
    projects_create_verb,
    projects_list_verb,
    projects_remove_verb,
    projects_secret_verb,
    projects_secret_set_verb,
    projects_secret_remove_verb,
    projects_secret_list_verb,
    tokens_verb,
    tokens_create_verb,
    tokens_list_verb,
    tokens_revoke_verb,
    store_verb,
    store_copy_verb,
    store_migrate_verb,
    backup_verb,
    restore_verb,
    mcp_verb,
    mcp_setup_verb,
    plugins_verb,
    plugins_list_verb,
    plugins_new_verb,
    plugins_show_verb,
    plugins_search_verb,
    plugins_add_verb,
    plugins_remove_verb,
    plugins_release_verb,
    plugins_reload_verb,
    plugins_validate_verb,
    plugins_run_verb,
    plugins_index_verb,
    plugins_probe_verb,
    trust_verb,
    config_verb,
    config_check_verb,
    config_show_verb,
    config_path_verb,
    config_set_verb,
    config_explain_verb,
    doctor_verb,
    top_verb,
    upgrade_in_place_verb,
    completion_verb,
    version_verb,
};

}  // namespace

Option json_option(CommonOptions& common) {
  return {"--json", "", "Print JSON", &common.json};
}

std::vector<Option> with_json(CommonOptions& common, std::vector<Option> rows) {
  rows.push_back(json_option(common));
  return rows;
}

Option server_option(CommonOptions& common) {
  return {"-s,--server", "URL", "Use this running server instead of starting an engine",
          &common.server};
}

std::vector<Option> with_server(CommonOptions& common, std::vector<Option> rows) {
  rows.push_back(server_option(common));
  return with_json(common, std::move(rows));
}

std::vector<Option> options_of_every_verb(CommonOptions& common) {
  return {
      {"-c,--config", "FILE", "Read only this configuration file", &common.config_file},
      {"--set", "NAME=VALUE", "Set a value of the configuration, as in model.provider=auto",
       &common.settings},
  };
}

std::vector<Verb> with_common_options(CommonOptions& common, std::vector<Verb> verbs) {
  const std::vector<Option> of_every_verb = options_of_every_verb(common);
  for (Verb& verb : verbs) {
    verb.options.insert(verb.options.begin(), of_every_verb.begin(), of_every_verb.end());
  }
  return verbs;
}

std::vector<Verb> all_verbs(CommonOptions& common, const std::vector<OfferedType>& types) {
  std::vector<Verb> out;
  for (const MakeVerb make : kFirstVerbs) out.push_back(make(common));
  std::ranges::move(add_verbs(common, types), std::back_inserter(out));
  for (const MakeVerb make : kVerbs) out.push_back(make(common));
  return with_common_options(common, std::move(out));
}

}  // namespace quarry::cli
