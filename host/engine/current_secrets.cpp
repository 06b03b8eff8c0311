#include "engine/current_secrets.h"

#include <functional>
#include <map>
#include <utility>

namespace quarry::engine {

ask::GetSecret current_secrets(const std::vector<std::string>& needs,
                               services::SecretStore& secrets) {
  using GetValue = std::function<Result<std::string>(const services::Call&)>;
  std::map<std::string, GetValue, std::less<>> values;
  for (const std::string& need : needs) {
    secrets.offer(need);
    values.emplace(need, secrets.hold(need));
  }
  return [values = std::move(values), &secrets](std::string_view name, std::stop_token stop) {
    services::Call call;
    call.stop = std::move(stop);
    const auto found = values.find(name);
    return found == values.end() ? secrets.get(name, call) : found->second(call);
  };
}

}  // namespace quarry::engine
