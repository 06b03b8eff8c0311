/* The layout ledger: every released size, offset and constant of the contract (64-bit machines).
 * Lines are only added. A line that fails shows a breach of the contract, not an error in the
 * test. */

#include <quarry/abi.h>
#include <quarry/clock.h>
#include <quarry/http.h>
#include <quarry/http_types.h>
#include <quarry/limits.h>
#include <quarry/log.h>
#include <quarry/metrics.h>
#include <quarry/model.h>
#include <quarry/paths.h>
#include <quarry/pricing.h>
#include <quarry/process.h>
#include <quarry/resource.h>
#include <quarry/secrets.h>
#include <quarry/transport.h>
#include <quarry/work.h>

#ifdef __cplusplus
#define QUARRY_HOLDS(what, text) static_assert(what, text)
#else
#define QUARRY_HOLDS(what, text) _Static_assert(what, text)
#endif
#define SIZE(type, bytes) QUARRY_HOLDS(sizeof(type) >= (bytes), #type " has shrunk")
#define OFFSET(type, field, bytes) \
  QUARRY_HOLDS(offsetof(type, field) == (bytes), #type "." #field " has moved")
#define CONSTANT(name, value) QUARRY_HOLDS((name) == (value), #name " has changed")

SIZE(quarry_text, 16);
OFFSET(quarry_text, data, 0);
OFFSET(quarry_text, size, 8);
SIZE(quarry_failure, 56);
OFFSET(quarry_failure, struct_size, 0);
OFFSET(quarry_failure, status, 4);
OFFSET(quarry_failure, message, 8);
OFFSET(quarry_failure, hint, 24);
OFFSET(quarry_failure, details, 40);
SIZE(quarry_reply, 32);
OFFSET(quarry_reply, struct_size, 0);
OFFSET(quarry_reply, context, 8);
OFFSET(quarry_reply, value, 16);
OFFSET(quarry_reply, failure, 24);
SIZE(quarry_call, 40);
OFFSET(quarry_call, struct_size, 0);
OFFSET(quarry_call, context, 8);
OFFSET(quarry_call, state, 16);
OFFSET(quarry_call, remaining_ms, 24);
OFFSET(quarry_call, progress, 32);
SIZE(quarry_host, 64);
OFFSET(quarry_host, struct_size, 0);
OFFSET(quarry_host, abi_major, 4);
OFFSET(quarry_host, abi_minor, 8);
OFFSET(quarry_host, context, 16);
OFFSET(quarry_host, version, 24);
OFFSET(quarry_host, service, 40);
OFFSET(quarry_host, open_call, 48);
OFFSET(quarry_host, close_call, 56);
SIZE(quarry_component, 48);
OFFSET(quarry_component, struct_size, 0);
OFFSET(quarry_component, flags, 4);
OFFSET(quarry_component, kind, 8);
OFFSET(quarry_component, name, 16);
OFFSET(quarry_component, table, 24);
OFFSET(quarry_component, create, 32);
OFFSET(quarry_component, destroy, 40);
SIZE(quarry_entry, 64);
OFFSET(quarry_entry, struct_size, 0);
OFFSET(quarry_entry, abi_major, 4);
OFFSET(quarry_entry, abi_minor, 8);
OFFSET(quarry_entry, minimum_host_minor, 12);
OFFSET(quarry_entry, id, 16);
OFFSET(quarry_entry, version, 24);
OFFSET(quarry_entry, open, 32);
OFFSET(quarry_entry, close, 40);
OFFSET(quarry_entry, component_count, 48);
OFFSET(quarry_entry, components, 56);
SIZE(quarry_header, 56);
OFFSET(quarry_header, struct_size, 0);
OFFSET(quarry_header, name, 8);
OFFSET(quarry_header, value, 24);
OFFSET(quarry_header, secret, 40);
SIZE(quarry_http_request, 80);
OFFSET(quarry_http_request, struct_size, 0);
OFFSET(quarry_http_request, header_count, 4);
OFFSET(quarry_http_request, method, 8);
OFFSET(quarry_http_request, url, 24);
OFFSET(quarry_http_request, headers, 40);
OFFSET(quarry_http_request, body, 48);
OFFSET(quarry_http_request, timeout_ms, 64);
OFFSET(quarry_http_request, max_redirects, 72);
OFFSET(quarry_http_request, reserved, 76);
SIZE(quarry_clock_v1, 40);
OFFSET(quarry_clock_v1, struct_size, 0);
OFFSET(quarry_clock_v1, context, 8);
OFFSET(quarry_clock_v1, wall_ms, 16);
OFFSET(quarry_clock_v1, steady_ns, 24);
OFFSET(quarry_clock_v1, sleep, 32);
SIZE(quarry_http_sink, 32);
OFFSET(quarry_http_sink, struct_size, 0);
OFFSET(quarry_http_sink, context, 8);
OFFSET(quarry_http_sink, head, 16);
OFFSET(quarry_http_sink, data, 24);
SIZE(quarry_http_v1, 40);
OFFSET(quarry_http_v1, struct_size, 0);
OFFSET(quarry_http_v1, context, 8);
OFFSET(quarry_http_v1, send, 16);
OFFSET(quarry_http_v1, permit, 24);
OFFSET(quarry_http_v1, send_all, 32);
SIZE(quarry_log_v1, 32);
OFFSET(quarry_log_v1, struct_size, 0);
OFFSET(quarry_log_v1, context, 8);
OFFSET(quarry_log_v1, write, 16);
OFFSET(quarry_log_v1, enabled, 24);
SIZE(quarry_metrics_v1, 40);
OFFSET(quarry_metrics_v1, struct_size, 0);
OFFSET(quarry_metrics_v1, context, 8);
OFFSET(quarry_metrics_v1, count, 16);
OFFSET(quarry_metrics_v1, gauge, 24);
OFFSET(quarry_metrics_v1, observe, 32);
SIZE(quarry_usage, 48);
OFFSET(quarry_usage, struct_size, 0);
OFFSET(quarry_usage, reserved, 4);
OFFSET(quarry_usage, input_tokens, 8);
OFFSET(quarry_usage, output_tokens, 16);
OFFSET(quarry_usage, reasoning_tokens, 24);
OFFSET(quarry_usage, cache_read_tokens, 32);
OFFSET(quarry_usage, cache_write_tokens, 40);
SIZE(quarry_model_error, 40);
OFFSET(quarry_model_error, struct_size, 0);
OFFSET(quarry_model_error, status, 4);
OFFSET(quarry_model_error, http_status, 8);
OFFSET(quarry_model_error, retry_after_ms, 16);
OFFSET(quarry_model_error, message, 24);
SIZE(quarry_model_sink, 72);
OFFSET(quarry_model_sink, struct_size, 0);
OFFSET(quarry_model_sink, context, 8);
OFFSET(quarry_model_sink, text, 16);
OFFSET(quarry_model_sink, reasoning, 24);
OFFSET(quarry_model_sink, tool_call, 32);
OFFSET(quarry_model_sink, usage, 40);
OFFSET(quarry_model_sink, keep, 48);
OFFSET(quarry_model_sink, finish, 56);
OFFSET(quarry_model_sink, error, 64);
SIZE(quarry_model_v1, 80);
OFFSET(quarry_model_v1, struct_size, 0);
OFFSET(quarry_model_v1, describe, 8);
OFFSET(quarry_model_v1, generate, 16);
OFFSET(quarry_model_v1, begin, 24);
OFFSET(quarry_model_v1, request, 32);
OFFSET(quarry_model_v1, head, 40);
OFFSET(quarry_model_v1, data, 48);
OFFSET(quarry_model_v1, end, 56);
OFFSET(quarry_model_v1, destroy_exchange, 64);
OFFSET(quarry_model_v1, models, 72);
SIZE(quarry_paths_v1, 32);
OFFSET(quarry_paths_v1, struct_size, 0);
OFFSET(quarry_paths_v1, context, 8);
OFFSET(quarry_paths_v1, cache, 16);
OFFSET(quarry_paths_v1, data, 24);
SIZE(quarry_pricing_v1, 24);
OFFSET(quarry_pricing_v1, struct_size, 0);
OFFSET(quarry_pricing_v1, rates, 8);
OFFSET(quarry_pricing_v1, refresh, 16);
SIZE(quarry_process_spec, 104);
OFFSET(quarry_process_spec, struct_size, 0);
OFFSET(quarry_process_spec, argument_count, 4);
OFFSET(quarry_process_spec, program, 8);
OFFSET(quarry_process_spec, arguments, 24);
OFFSET(quarry_process_spec, environment_count, 32);
OFFSET(quarry_process_spec, environment, 40);
OFFSET(quarry_process_spec, directory, 48);
OFFSET(quarry_process_spec, input, 64);
OFFSET(quarry_process_spec, output_limit, 80);
OFFSET(quarry_process_spec, file_limit, 88);
OFFSET(quarry_process_spec, memory_limit, 96);
SIZE(quarry_process_sink, 32);
OFFSET(quarry_process_sink, struct_size, 0);
OFFSET(quarry_process_sink, context, 8);
OFFSET(quarry_process_sink, output, 16);
OFFSET(quarry_process_sink, error_output, 24);
SIZE(quarry_process_v1, 24);
OFFSET(quarry_process_v1, struct_size, 0);
OFFSET(quarry_process_v1, context, 8);
OFFSET(quarry_process_v1, run, 16);
SIZE(quarry_file, 72);
OFFSET(quarry_file, struct_size, 0);
OFFSET(quarry_file, reserved, 4);
OFFSET(quarry_file, path, 8);
OFFSET(quarry_file, permalink, 24);
OFFSET(quarry_file, title, 40);
OFFSET(quarry_file, media_type, 56);
SIZE(quarry_tree, 88);
OFFSET(quarry_tree, struct_size, 0);
OFFSET(quarry_tree, context, 8);
OFFSET(quarry_tree, add_file, 16);
OFFSET(quarry_tree, add_directory, 24);
OFFSET(quarry_tree, use_in_place, 32);
OFFSET(quarry_tree, scratch, 40);
OFFSET(quarry_tree, file_limit, 48);
OFFSET(quarry_tree, add_large, 56);
OFFSET(quarry_tree, add_link, 64);
OFFSET(quarry_tree, add_described, 72);
OFFSET(quarry_tree, keep_file, 80);
SIZE(quarry_resource_v1, 48);
OFFSET(quarry_resource_v1, struct_size, 0);
OFFSET(quarry_resource_v1, describe, 8);
OFFSET(quarry_resource_v1, normalise, 16);
OFFSET(quarry_resource_v1, resolve, 24);
OFFSET(quarry_resource_v1, fetch, 32);
OFFSET(quarry_resource_v1, parse_reference, 40);
SIZE(quarry_secrets_v1, 32);
OFFSET(quarry_secrets_v1, struct_size, 0);
OFFSET(quarry_secrets_v1, context, 8);
OFFSET(quarry_secrets_v1, get, 16);
OFFSET(quarry_secrets_v1, hide, 24);
SIZE(quarry_event, 48);
OFFSET(quarry_event, struct_size, 0);
OFFSET(quarry_event, number, 8);
OFFSET(quarry_event, type, 16);
OFFSET(quarry_event, json, 32);
SIZE(quarry_engine, 56);
OFFSET(quarry_engine, struct_size, 0);
OFFSET(quarry_engine, context, 8);
OFFSET(quarry_engine, call, 16);
OFFSET(quarry_engine, cancel, 24);
OFFSET(quarry_engine, open_reader, 32);
OFFSET(quarry_engine, read, 40);
OFFSET(quarry_engine, close_reader, 48);
SIZE(quarry_transport_v1, 24);
OFFSET(quarry_transport_v1, struct_size, 0);
OFFSET(quarry_transport_v1, start, 8);
OFFSET(quarry_transport_v1, stop, 16);
SIZE(quarry_work_v1, 48);
OFFSET(quarry_work_v1, struct_size, 0);
OFFSET(quarry_work_v1, context, 8);
OFFSET(quarry_work_v1, submit, 16);
OFFSET(quarry_work_v1, start_loop, 24);
OFFSET(quarry_work_v1, join_loop, 32);
OFFSET(quarry_work_v1, concurrency, 40);
CONSTANT(QUARRY_ABI_MAJOR, 1);
CONSTANT(QUARRY_OK, 0);
CONSTANT(QUARRY_INVALID_ARGUMENT, 1);
CONSTANT(QUARRY_NOT_FOUND, 2);
CONSTANT(QUARRY_PERMISSION_DENIED, 3);
CONSTANT(QUARRY_UNAUTHENTICATED, 4);
CONSTANT(QUARRY_UNAVAILABLE, 5);
CONSTANT(QUARRY_RESOURCE_EXHAUSTED, 6);
CONSTANT(QUARRY_CANCELLED, 7);
CONSTANT(QUARRY_DEADLINE_EXCEEDED, 8);
CONSTANT(QUARRY_UNSUPPORTED, 9);
CONSTANT(QUARRY_INTERNAL, 10);
CONSTANT(QUARRY_DATA_LOSS, 11);
CONSTANT(QUARRY_SERIAL, 1);
CONSTANT(QUARRY_LOG_DEBUG, 1);
CONSTANT(QUARRY_LOG_INFO, 2);
CONSTANT(QUARRY_LOG_WARNING, 3);
CONSTANT(QUARRY_LOG_ERROR, 4);
CONSTANT(QUARRY_FINISH_STOP, 0);
CONSTANT(QUARRY_FINISH_LENGTH, 1);
CONSTANT(QUARRY_FINISH_TOOL_CALLS, 2);
CONSTANT(QUARRY_FINISH_CONTENT_FILTER, 3);
CONSTANT(QUARRY_END_COMPLETE, 0);
CONSTANT(QUARRY_END_CUT, 1);
CONSTANT(QUARRY_READ_MORE, 0);
CONSTANT(QUARRY_READ_EMPTY, 1);
CONSTANT(QUARRY_READ_END, 2);
CONSTANT(QUARRY_LIMIT_VALUE, 16u << 20);
CONSTANT(QUARRY_LIMIT_SENTENCE, 4096u);
CONSTANT(QUARRY_LIMIT_DETAILS, 256u << 10);
CONSTANT(QUARRY_LIMIT_FIELDS, 100u);
CONSTANT(QUARRY_LIMIT_PROGRESS, 4096u);
CONSTANT(QUARRY_LIMIT_PATH, 1024u);
CONSTANT(QUARRY_LIMIT_LEVELS, 64u);
CONSTANT(QUARRY_LIMIT_FILES, 1000000u);
CONSTANT(QUARRY_LIMIT_TEXT, 4ull << 30);
CONSTANT(QUARRY_LIMIT_VERSION, 64u << 10);
CONSTANT(QUARRY_LIMIT_STATE, 64u << 10);
CONSTANT(QUARRY_LIMIT_NOTES, 20u);
CONSTANT(QUARRY_LIMIT_NOTE, 300u);
CONSTANT(QUARRY_LIMIT_PERMALINK, 2048u);
CONSTANT(QUARRY_LIMIT_TITLE, 300u);
CONSTANT(QUARRY_LIMIT_MEDIA_TYPE, 100u);
CONSTANT(QUARRY_LIMIT_FILE_FACTS, 16u << 20);
CONSTANT(QUARRY_LIMIT_REQUEST_HEADERS, 100u);
CONSTANT(QUARRY_LIMIT_TOOL_CALLS, 128u);
CONSTANT(QUARRY_LIMIT_TOOL_ARGUMENTS, 256u << 10);
CONSTANT(QUARRY_LIMIT_KEPT, 1u << 20);
CONSTANT(QUARRY_LIMIT_MODEL_MESSAGE, 16u << 10);
CONSTANT(QUARRY_LIMIT_REQUESTS, 1000u);
CONSTANT(QUARRY_LIMIT_REDIRECTS, 20u);
CONSTANT(QUARRY_LIMIT_RESPONSE_HEADERS, 256u);
CONSTANT(QUARRY_LIMIT_ARGUMENTS, 10000u);
CONSTANT(QUARRY_LIMIT_JSON_LEVELS, 64u);
CONSTANT(QUARRY_LIMIT_PROCESS_INPUT, 16u << 20);
CONSTANT(QUARRY_LIMIT_REQUEST_BODY, 16u << 20);
CONSTANT(QUARRY_LIMIT_RESPONSE_BODY, 1ull << 30);
/* Ids: the compiler refuses to define them with another text. */
#define QUARRY_ENTRY_SYMBOL "quarry_plugin_entry_v1"
#define QUARRY_CLOCK "quarry.clock/1"
#define QUARRY_HTTP "quarry.http/1"
#define QUARRY_LOG "quarry.log/1"
#define QUARRY_METRICS "quarry.metrics/1"
#define QUARRY_MODEL "quarry.model/1"
#define QUARRY_PATHS "quarry.paths/1"
#define QUARRY_PRICING "quarry.pricing/1"
#define QUARRY_PROCESS "quarry.process/1"
#define QUARRY_RESOURCE "quarry.resource/1"
#define QUARRY_SECRETS "quarry.secrets/1"
#define QUARRY_TRANSPORT "quarry.transport/1"
#define QUARRY_WORK "quarry.work/1"
