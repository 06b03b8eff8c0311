#pragma once

#include "engine/current_state.h"
#include "engine/methods/method_table.h"
#include "engine/requests.h"
#include "services/secrets.h"

namespace quarry::engine {

/// models.list and models.select.
class ModelMethods {
 public:
  /// All must outlive it.
  ModelMethods(CurrentState& state, services::SecretStore& secrets)
      : state_(state), secrets_(secrets) {}
  /// Adds its rows, which this must outlive.
  void add_to(MethodTable& table);

 private:
  Answer list(const Json& params, const std::stop_token& stop);
  Answer select(const Json& params, const std::stop_token& stop);

  /// Fails if the choice could not be made or asked; called before the file is written.
  Status check_choice(const ModelChoice& choice);

  CurrentState& state_;
  services::SecretStore& secrets_;
};

}  // namespace quarry::engine
