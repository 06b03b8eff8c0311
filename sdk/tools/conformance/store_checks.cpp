// Group calls: a store of the draft kind, with an empty database.

#include "conformance/checks.h"
#include "plugins/compose.h"

#include <quarry/draft/store.h>

#include <algorithm>

namespace quarry::conformance {
namespace {

using plugins::compose;

/// Creates a project, lists and removes it.
Status keep_a_project(plugins::Store& store) {
  const auto now = std::chrono::system_clock::now();
  plugins::ProjectRecord project;
  project.name = "conformance-check";
  project.created = now;
  const auto created = store.create_project({}, project);
  if (!created) return created.error();
  const auto projects = store.projects({});
  if (!projects) return projects.error();
  const auto found = std::ranges::find(*projects, project.name, &plugins::ProjectRecord::name);
  const auto removed = store.remove_project({}, project.name, now);
  if (!removed) return removed.error();
  if (found != projects->end() && *removed) return {};
  return Error(Code::kInternal, "a project that was created is not listed, or not removed");
}

}  // namespace

Verdict store_replies(Trial& trial) {
  return for_each(trial, QUARRY_STORE, [&](Generation&, const Made& made) {
    const auto store = plugins::adapt_store(made.instance);
    if (!store) return judge(store.error());
    static_cast<void>(new std::shared_ptr(*store));
    trial.at(made, "open");
    if (const auto opened = (*store)->open({}); !opened) return judge(opened.error());
    trial.at(made, "create_project, projects or remove_project");
    const auto kept = keep_a_project(**store);
    return kept ? Verdict() : judge(kept.error());
  });
}

}  // namespace quarry::conformance
