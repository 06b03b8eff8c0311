#pragma once

#include "cli/verb.h"

namespace quarry::cli {

// The verbs that all_verbs() lists, each in its own *_verb.cpp or with others in *_verbs.cpp.
Verb serve_verb(CommonOptions& common);
Verb ask_verb(CommonOptions& common);
Verb chat_verb(CommonOptions& common);
Verb remove_verb(CommonOptions& common);
Verb resources_verb(CommonOptions& common);
Verb resources_list_verb(CommonOptions& common);
Verb resources_show_verb(CommonOptions& common);
Verb search_verb(CommonOptions& common);
Verb grep_verb(CommonOptions& common);
Verb symbols_verb(CommonOptions& common);
Verb list_verb(CommonOptions& common);
Verb read_verb(CommonOptions& common);
Verb sync_verb(CommonOptions& common);
Verb lock_verb(CommonOptions& common);
Verb clear_verb(CommonOptions& common);
Verb models_verb(CommonOptions& common);
Verb models_setup_verb(CommonOptions& common);
Verb models_use_verb(CommonOptions& common);
Verb usage_verb(CommonOptions& common);
Verb threads_verb(CommonOptions& common);
Verb threads_list_verb(CommonOptions& common);
Verb threads_show_verb(CommonOptions& common);
Verb threads_export_verb(CommonOptions& common);
Verb threads_rename_verb(CommonOptions& common);
Verb threads_search_verb(CommonOptions& common);
Verb threads_remove_verb(CommonOptions& common);
Verb projects_verb(CommonOptions& common);
Verb projects_create_verb(CommonOptions& common);
Verb projects_list_verb(CommonOptions& common);
Verb projects_remove_verb(CommonOptions& common);
Verb projects_secret_verb(CommonOptions& common);
Verb projects_secret_set_verb(CommonOptions& common);
Verb projects_secret_remove_verb(CommonOptions& common);
Verb projects_secret_list_verb(CommonOptions& common);
Verb tokens_verb(CommonOptions& common);
Verb tokens_create_verb(CommonOptions& common);
Verb tokens_list_verb(CommonOptions& common);
Verb tokens_revoke_verb(CommonOptions& common);
Verb store_verb(CommonOptions& common);
Verb store_copy_verb(CommonOptions& common);
Verb store_migrate_verb(CommonOptions& common);
Verb backup_verb(CommonOptions& common);
Verb restore_verb(CommonOptions& common);
Verb mcp_verb(CommonOptions& common);
Verb mcp_setup_verb(CommonOptions& common);
Verb plugins_verb(CommonOptions& common);
Verb plugins_list_verb(CommonOptions& common);
Verb plugins_new_verb(CommonOptions& common);
Verb plugins_show_verb(CommonOptions& common);
Verb plugins_search_verb(CommonOptions& common);
Verb plugins_run_verb(CommonOptions& common);
Verb plugins_index_verb(CommonOptions& common);
Verb plugins_add_verb(CommonOptions& common);
Verb plugins_remove_verb(CommonOptions& common);
Verb plugins_release_verb(CommonOptions& common);
Verb plugins_reload_verb(CommonOptions& common);
Verb plugins_validate_verb(CommonOptions& common);
Verb plugins_probe_verb(CommonOptions& common);
Verb trust_verb(CommonOptions& common);
Verb config_verb(CommonOptions& common);
Verb config_check_verb(CommonOptions& common);
Verb config_show_verb(CommonOptions& common);
Verb config_path_verb(CommonOptions& common);
Verb config_set_verb(CommonOptions& common);
Verb config_explain_verb(CommonOptions& common);
Verb doctor_verb(CommonOptions& common);
Verb top_verb(CommonOptions& common);
Verb upgrade_in_place_verb(CommonOptions& common);
Verb completion_verb(CommonOptions& common);
Verb version_verb(CommonOptions& common);

/// "add", and below it a verb for each type with the fields of the type as options.
std::vector<Verb> add_verbs(CommonOptions& common, const std::vector<OfferedType>& types);

}  // namespace quarry::cli
