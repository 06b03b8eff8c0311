#include "component.h"

namespace quarry::engine_client {

quarry::Failure to_sdk_failure(Failure failure) {
  std::string details;
  if (!failure.tag.empty()) details = R"({"tag":")" + failure.tag + "\"}";
  if (!failure.tag.empty() && !failure.fields.empty()) {
    details.insert(details.size() - 1, ",\"fields\":" + failure.fields);
  }
  return {failure.status, std::move(failure.message), std::move(failure.hint), details};
}

}  // namespace quarry::engine_client
