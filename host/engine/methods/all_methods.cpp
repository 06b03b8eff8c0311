#include "engine/methods/all_methods.h"

#include "engine/methods/methods.h"

namespace quarry::engine {

const MethodTable& all_methods() {
  static const MethodTable all = [] {
    MethodTable table;
    for (const auto add_group :
         {add_access_methods, add_configuration_methods, add_file_methods, add_history_methods,
          add_host_methods, add_lock_methods, add_model_methods, add_project_methods,
          add_question_methods, add_resource_methods, add_secret_methods, add_sync_methods,
          add_token_methods, add_tool_methods}) {
      add_group(table);
    }
    return table;
  }();
  return all;
}

}  // namespace quarry::engine
