// The list of checks that run code of the plugin. Names are stable.

#include "conformance/checks.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>
#include <quarry/draft/store.h>
#include <quarry/draft/symbols.h>
#include <quarry/model.h>
#include <quarry/pricing.h>
#include <quarry/resource.h>
#include <quarry/transport.h>

namespace quarry::conformance {
namespace {

/// Stages: a check assumes that the checks of earlier stages passed.
enum Stage {
  kOpen,
  kCreate,
  kDescribe,
  kFirst,  ///< functions that need an instance alone
  kSecond,
  kThird,
  kFourth,
  kFifth,
  kDestroy,
  kClose,
  kLife,  ///< what holds for a plugin whose functions all return
};

constexpr std::string_view kAny;
constexpr std::string_view kResource = QUARRY_RESOURCE;
constexpr std::string_view kModel = QUARRY_MODEL;
constexpr std::string_view kPricing = QUARRY_PRICING;
constexpr std::string_view kTransport = QUARRY_TRANSPORT;
constexpr std::string_view kStore = QUARRY_STORE;
constexpr std::string_view kSymbols = QUARRY_SYMBOLS;
constexpr std::string_view kEmbedding = QUARRY_EMBEDDING;
constexpr std::string_view kRerank = QUARRY_RERANK;

constexpr Check kChecks[] = {
    {kOpen, kAny, kinds_known, "kinds-known", "static",
     "this host knows the kinds of its components"},
    {kOpen, kAny, open_replies, "open-replies", "load", "open replies once, with a value"},
    {kCreate, kAny, create_replies, "create-replies", "load",
     "create replies once, and accepts the schema's defaults"},
    {kDescribe, kAny, describe_replies, "describe-replies", "load",
     "describe replies with a value of its schema"},

    {kFirst, kResource, normalise_replies, "normalise-replies", "calls",
     "normalise accepts an example and replies with an object"},
    {kFirst, kResource, parse_reference_replies, "parse-reference-replies", "calls",
     "parse_reference replies with a value of its schema"},
    {kFirst, kModel, begin_replies, "begin-replies", "calls",
     "begin replies once, and begins an exchange"},
    {kFirst, kModel, generate_ends_step, "generate-ends-step", "calls",
     "generate returns after a finish or an error"},
    {kFirst, kModel, models_replies, "models-replies", "calls",
     "models replies with a value of its schema"},
    {kFirst, kPricing, rates_replies, "rates-replies", "calls",
     "rates replies with a value of its schema, in decimals"},
    {kFirst, kPricing, refresh_replies, "refresh-replies", "calls",
     "refresh replies with a value of its schema"},
    {kFirst, kTransport, start_replies, "start-replies", "calls",
     "start replies with a value of its schema"},
    {kFirst, kStore, store_replies, "store-replies", "calls",
     "a store keeps, lists and removes a project"},
    {kFirst, kSymbols, definitions_replies, "definitions-replies", "calls",
     "definitions replies with definitions of the text, for any text"},
    {kFirst, kSymbols, references_replies, "references-replies", "calls",
     "references replies with lines of the text, for any text"},
    {kFirst, kEmbedding, embedding_exchange_ends, "embedding-exchange-ends", "calls",
     "an embedding exchange ends once, the same however a response is cut"},
    {kFirst, kRerank, rerank_exchange_ends, "rerank-exchange-ends", "calls",
     "a rerank exchange ends once, the same however a response is cut"},
    {kSecond, kResource, resolve_replies, "resolve-replies", "calls",
     "resolve replies with a value of its schema"},
    {kSecond, kModel, request_valid, "request-valid", "calls",
     "request returns a valid HTTP request to a permitted host, with permitted secrets"},
    {kSecond, kTransport, stop_returns, "stop-returns", "calls", "stop returns"},
    {kThird, kResource, fetch_replies, "fetch-replies", "calls",
     "fetch adds files by valid paths and replies by its schema"},
    {kThird, kModel, head_returns, "head-returns", "calls", "head returns"},
    {kFourth, kModel, data_returns, "data-returns", "calls", "data returns"},
    {kFifth, kModel, end_ends_step, "end-ends-step", "calls",
     "end returns after a finish or an error"},
    {kFourth, kModel, destroy_exchange_returns, "destroy-exchange-returns", "calls",
     "destroy_exchange returns"},

    {kDestroy, kAny, destroy_returns, "destroy-returns", "load", "destroy returns"},
    {kClose, kAny, close_returns, "close-returns", "load", "close returns"},
    {kLife, kAny, schema_agrees, "schema-agrees", "load",
     "the schema of describe is the one in the manifest's file"},
    {kLife, kAny, instances_independent, "instances-independent", "load",
     "an instance works when another one is destroyed"},

    {kLife, kAny, bad_configurations_survived, "bad-configurations-survived", "configuration",
     "create returns with values that do not follow its schema"},
    {kLife, kAny, refused_configurations_explained, "refused-configurations-explained",
     "configuration", "create names the field of an odd value that it refuses"},
    {kLife, kResource, bad_resources_survived, "bad-resources-survived", "configuration",
     "normalise returns with values that do not follow its schema"},
    {kLife, kResource, refused_resources_explained, "refused-resources-explained", "configuration",
     "normalise names the field of an odd value that it refuses"},

    {kLife, kAny, calls_at_once, "calls-at-once", "calls",
     "several threads get the same replies as one"},
    {kLife, kAny, prompt_functions_prompt, "prompt-functions-prompt", "calls",
     "functions that must not block return soon"},

    {kLife, kModel, cuts_do_not_matter, "cuts-do-not-matter", "streaming",
     "a response gives the same step however it is cut"},
    {kLife, kModel, step_ends_once, "step-ends-once", "streaming",
     "a step has one finish or error"},
    {kLife, kModel, text_is_utf8, "text-is-utf8", "streaming", "text and reasoning are UTF-8"},
    {kLife, kModel, broken_response_ends_step, "broken-response-ends-step", "streaming",
     "a response that breaks off ends in an error"},
    {kLife, kModel, refusal_becomes_error, "refusal-becomes-error", "streaming",
     "an HTTP error ends in an error with its status"},
    {kLife, kModel, sink_on_calling_thread, "sink-on-calling-thread", "streaming",
     "the sink is called on the thread of the call"},
    {kLife, kModel, sink_refusal_heeded, "sink-refusal-heeded", "streaming",
     "generate ends soon when the sink wants no more"},

    {kLife, kAny, ended_calls_return, "ended-calls-return", "cancellation",
     "functions return soon when their call is over"},

    {kLife, kAny, unchanged<ProcessAspect::kDirectory>, "directory-unchanged", "process",
     "the working directory stays"},
    {kLife, kAny, unchanged<ProcessAspect::kEnvironment>, "environment-unchanged", "process",
     "the environment stays"},
    {kLife, kAny, unchanged<ProcessAspect::kSignalHandlers>, "signal-handlers-unchanged", "process",
     "signal handlers stay"},
    {kLife, kAny, unchanged<ProcessAspect::kSignalMask>, "signal-mask-unchanged", "process",
     "the signal mask stays"},
    {kLife, kAny, unchanged<ProcessAspect::kLocale>, "locale-unchanged", "process",
     "the locale stays"},
    {kLife, kAny, unchanged<ProcessAspect::kFileMode>, "umask-unchanged", "process",
     "the mode mask of new files stays"},
    {kLife, kAny, unchanged<ProcessAspect::kLimits>, "limits-unchanged", "process",
     "the resource limits stay"},
    {kLife, kAny, unchanged<ProcessAspect::kDescriptors>, "descriptors-closed", "process",
     "no descriptor stays open"},
    {kLife, kAny, unchanged<ProcessAspect::kThreads>, "threads-ended", "process",
     "no thread of it stays"},
    {kLife, kAny, unchanged<ProcessAspect::kChildren>, "no-child-processes", "process",
     "no child process of it stays"},
    {kLife, kAny, output_unwritten, "output-unwritten", "process",
     "it writes nothing to standard output"},
    {kLife, kAny, error_output_unwritten, "error-output-unwritten", "process",
     "it writes nothing to standard error"},
    {kLife, kAny, memory_bounded, "memory-bounded", "process",
     "it takes no more memory than permitted"},
    {kLife, kAny, memory_returned, "memory-returned", "process", "it frees what it allocated"},

    {kLife, kAny, loads_again, "loads-again", "reload",
     "after close it can be loaded and used again"},
    {kLife, kAny, two_generations_work, "two-generations-work", "reload",
     "it can be loaded twice at once"},
    {kLife, kAny, unloads, "unloads", "reload", "its code leaves the process after close"},

    {kLife, kResource, normalise_stable, "normalise-stable", "resource",
     "normalise leaves a canonical resource as it is"},
    {kLife, kResource, normalise_offline, "normalise-offline", "resource",
     "normalise uses no network"},
    {kLife, kResource, resolve_takes_last, "resolve-takes-last", "resource",
     "resolve accepts the version and state of a snapshot"},
    {kLife, kResource, fetch_repeats, "fetch-repeats", "resource",
     "fetch gives the same files for the same version"},
    {kLife, kResource, fetch_heeds_refusal, "fetch-heeds-refusal", "resource",
     "fetch returns when the tree refuses a file"},
    {kLife, kResource, examples_recognised, "examples-recognised", "resource",
     "parse_reference recognises the examples of describe"},
    {kLife, kResource, strange_references_survived, "strange-references-survived", "resource",
     "parse_reference returns for any text"},
    {kLife, kPricing, rates_offline, "rates-offline", "pricing", "rates uses no network"},
    {kLife, kPricing, unknown_model_unpriced, "unknown-model-unpriced", "pricing",
     "a model that does not exist has no rates"},
    {kLife, kSymbols, definitions_stable, "definitions-stable", "symbols",
     "definitions gives the same for the same text"},
    {kLife, kTransport, stop_releases, "stop-releases", "transport",
     "start works again, and stop closes what start opened"},
};

}  // namespace

std::span<const Check> dynamic_checks() {
  return kChecks;
}

}  // namespace quarry::conformance
