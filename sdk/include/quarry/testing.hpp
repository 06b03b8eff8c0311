/// The plugin author's test kit: recording fakes of the host's side of the contract, for
/// GoogleTest. A test links the plugin's own sources and drives it through its entry, so it works
/// for plugins in any language:
///
///   quarry::testing::Component<quarry_resource_v1> notes{quarry_plugin_entry_v1, QUARRY_RESOURCE,
///                                                        "notes"};
///   notes->normalise(notes.instance(), call.get(), resource, reply.get());
#ifndef QUARRY_TESTING_HPP
#define QUARRY_TESTING_HPP

#include <quarry/process_state.hpp>
#include <quarry/testing_host.hpp>
#include <quarry/testing_http.hpp>
#include <quarry/testing_model.hpp>
#include <quarry/testing_services.hpp>
#include <quarry/testing_tree.hpp>

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::testing {

/// Expects that the process is left as it was, from construction to destruction: working directory,
/// environment, signals, locale, umask, limits, descriptors, threads and child processes. The same
/// rule as that of the checks of "quarry plugins validate". Construct it before the component and
/// the services of the test.
class UnchangedProcess {
 public:
  UnchangedProcess() {
    for (const ProcessAspect aspect : kProcessAspects)
      before_.emplace_back(aspect, observe(aspect));
  }
  ~UnchangedProcess() {
    for (const auto& [aspect, lines] : before_) {
      for (const auto& change : changes(aspect, lines)) ADD_FAILURE() << change;
    }
  }
  UnchangedProcess(const UnchangedProcess&) = delete;
  UnchangedProcess& operator=(const UnchangedProcess&) = delete;

 private:
  std::vector<std::pair<ProcessAspect, std::vector<std::string>>> before_;
};

}  // namespace quarry::testing

#endif
