#pragma once

#include "conformance/trial.h"
#include "conformance/verdict.h"

#include <quarry/process_state.hpp>

#include <span>

namespace quarry::conformance {

/// A check that runs code of the plugin, in a child process. All of a stage run at the same time;
/// none of a stage runs once one of an earlier stage failed.
struct Check {
  constexpr Check(int in_stage, std::string_view of_kind, Verdict (*function)(Trial&),
                  std::string_view name, std::string_view group, std::string_view sentence)
      : info{name, group, sentence}, stage(in_stage), kind(of_kind), run(function) {}

  CheckInfo info;
  int stage;
  std::string_view kind;  ///< of the components that it is for; empty = any
  Verdict (*run)(Trial&);
};

/// Every check that runs code, by stage.
std::span<const Check> dynamic_checks();

// load_checks.cpp
Verdict kinds_known(Trial& trial);
Verdict open_replies(Trial& trial);
Verdict create_replies(Trial& trial);
Verdict describe_replies(Trial& trial);
Verdict schema_agrees(Trial& trial);
Verdict destroy_returns(Trial& trial);
Verdict close_returns(Trial& trial);
Verdict instances_independent(Trial& trial);

// configuration_checks.cpp
Verdict bad_configurations_survived(Trial& trial);
Verdict refused_configurations_explained(Trial& trial);
Verdict bad_resources_survived(Trial& trial);
Verdict refused_resources_explained(Trial& trial);

// resource_checks.cpp
Verdict normalise_replies(Trial& trial);
Verdict normalise_stable(Trial& trial);
Verdict normalise_offline(Trial& trial);
Verdict resolve_replies(Trial& trial);
Verdict resolve_takes_last(Trial& trial);
Verdict fetch_replies(Trial& trial);
Verdict fetch_repeats(Trial& trial);
Verdict fetch_heeds_refusal(Trial& trial);
Verdict parse_reference_replies(Trial& trial);
Verdict examples_recognised(Trial& trial);
Verdict strange_references_survived(Trial& trial);

// model_checks.cpp
Verdict begin_replies(Trial& trial);
Verdict request_valid(Trial& trial);
Verdict head_returns(Trial& trial);
Verdict data_returns(Trial& trial);
Verdict end_ends_step(Trial& trial);
Verdict destroy_exchange_returns(Trial& trial);
Verdict generate_ends_step(Trial& trial);
Verdict models_replies(Trial& trial);

// streaming_checks.cpp
Verdict cuts_do_not_matter(Trial& trial);
Verdict step_ends_once(Trial& trial);
Verdict text_is_utf8(Trial& trial);
Verdict broken_response_ends_step(Trial& trial);
Verdict refusal_becomes_error(Trial& trial);
Verdict sink_on_calling_thread(Trial& trial);
Verdict sink_refusal_heeded(Trial& trial);

// pricing_checks.cpp
Verdict rates_replies(Trial& trial);
Verdict rates_offline(Trial& trial);
Verdict unknown_model_unpriced(Trial& trial);
Verdict refresh_replies(Trial& trial);

// transport_checks.cpp
Verdict start_replies(Trial& trial);
Verdict stop_returns(Trial& trial);
Verdict stop_releases(Trial& trial);

// store_checks.cpp
Verdict store_replies(Trial& trial);
Verdict embedding_exchange_ends(Trial& trial);
Verdict rerank_exchange_ends(Trial& trial);

// symbols_checks.cpp
Verdict definitions_replies(Trial& trial);
Verdict references_replies(Trial& trial);
Verdict definitions_stable(Trial& trial);

// call_checks.cpp
Verdict ended_calls_return(Trial& trial);
Verdict prompt_functions_prompt(Trial& trial);
Verdict calls_at_once(Trial& trial);

// process_checks.cpp
/// This state of the process is the same after a life of the plugin.
Verdict unchanged(Trial& trial, ProcessAspect aspect);
template <ProcessAspect kAspect>
Verdict unchanged(Trial& trial) {
  return unchanged(trial, kAspect);
}
Verdict output_unwritten(Trial& trial);
Verdict error_output_unwritten(Trial& trial);
Verdict memory_bounded(Trial& trial);
Verdict memory_returned(Trial& trial);

// reload_checks.cpp
Verdict loads_again(Trial& trial);
Verdict two_generations_work(Trial& trial);
Verdict unloads(Trial& trial);

}  // namespace quarry::conformance
