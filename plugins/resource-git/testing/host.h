#pragma once

#include <quarry/clock.h>
#include <quarry/http.h>
#include <quarry/paths.h>
#include <quarry/secrets.h>
#include <quarry/testing.hpp>
#include <quarry/testing_process.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace quarry::resource_git::testing {

/// A host with real services for network and programs: HTTP by libcurl, processes, and a cache in a
/// directory of the test.
class RealHost {
 public:
  /// `cache` must exist.
  explicit RealHost(const std::filesystem::path& cache);
  RealHost(const RealHost&) = delete;
  RealHost& operator=(const RealHost&) = delete;

  /// Offers the services to `fake`, which must not outlive this object.
  void offer_to(quarry::testing::FakeHost& fake);

  std::map<std::string, std::string> secrets;
  std::vector<std::string> hidden;  ///< texts that the plugin asked the host to hide
  /// Refuses a URL as the egress policy does; empty = every URL is permitted.
  std::function<std::optional<Failure>(const std::string& url)> policy;
  quarry::testing::RealProcesses processes;

 private:
  static void send(const quarry_http_v1* self, const quarry_call* call,
                   const quarry_http_request* request, const quarry_http_sink* sink,
                   const quarry_reply* reply);
  static void permit(const quarry_http_v1* self, const quarry_call* call, quarry_text url,
                     const quarry_reply* reply);

  std::string cache_;
  quarry_http_v1 http_;
  quarry_paths_v1 paths_;
  quarry_secrets_v1 secrets_;
  quarry_clock_v1 clock_;
};

}  // namespace quarry::resource_git::testing
