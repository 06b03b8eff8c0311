/* A model of the generate form. The question decides what it does. */
#include "frozen.h"

static void describe(void* instance, const quarry_call* call, const quarry_reply* reply) {
  (void)instance, (void)call;
  quarry_answer(reply,
                "{\"title\": \"Frozen generator\", \"schema\": {\"type\": \"object\"}, "
                "\"local\": false, \"vendor\": \"frozen-vendor\"}");
}

static quarry_usage usage_of(int64_t input, int64_t output) {
  quarry_usage usage;
  memset(&usage, 0, sizeof usage);
  usage.struct_size = sizeof usage;
  usage.reserved = 0;
  usage.input_tokens = input;
  usage.output_tokens = output;
  usage.reasoning_tokens = -1;
  usage.cache_read_tokens = -1;
  usage.cache_write_tokens = -1;
  return usage;
}

/* Reads the README, with its arguments in two parts. */
static void first_step(const quarry_model_sink* sink) {
  const quarry_text none = {NULL, 0};
  quarry_usage usage = usage_of(5, 1);
  sink->reasoning(sink, quarry_text_of("The README may tell."));
  sink->tool_call(sink, 0, quarry_text_of("call-1"), quarry_text_of("read"),
                  quarry_text_of("{\"path\": "));
  sink->tool_call(sink, 0, none, none, quarry_text_of("\"frozen/README.md\"}"));
  sink->keep(sink, quarry_text_of("{\"signature\": \"frozen\"}"));
  sink->usage(sink, &usage);
  usage = usage_of(1000, 100); /* replaces the first */
  usage.reasoning_tokens = 20;
  usage.cache_read_tokens = 200;
  usage.cache_write_tokens = 100;
  sink->usage(sink, &usage);
  sink->finish(sink, QUARRY_FINISH_TOOL_CALLS);
}

/* Answers, if the request has the result of the tool and what was kept. */
static void last_step(quarry_text chat_request, const quarry_model_sink* sink) {
  const quarry_usage usage = usage_of(2000, 50);
  const int complete = text_has(chat_request, "striped by default") &&
                       text_has(chat_request, "\"signature\"") &&
                       text_has(chat_request, "\"toolCallId\"");
  sink->text(sink, quarry_text_of(complete ? "The zebra is " : "Something is missing: "));
  if (sink->text(sink, quarry_text_of("striped.")) != QUARRY_OK) return;
  sink->usage(sink, &usage);
  sink->finish(sink, QUARRY_FINISH_STOP);
}

static void fail(const quarry_model_sink* sink, quarry_text message) {
  quarry_model_error error;
  memset(&error, 0, sizeof error);
  error.struct_size = sizeof error;
  error.status = QUARRY_RESOURCE_EXHAUSTED;
  error.http_status = 0;
  error.retry_after_ms = -1;
  error.message = message;
  sink->error(sink, &error);
}

/* The most that a step may have: tool calls, and a value to keep. */
static void largest_step(const quarry_model_sink* sink) {
  struct text kept = {NULL, 0, 0};
  uint32_t i;
  text_put(&kept, "\"");
  text_repeat(&kept, 'k', QUARRY_LIMIT_KEPT - 2);
  text_put(&kept, "\"");
  for (i = 0; i < QUARRY_LIMIT_TOOL_CALLS; ++i) {
    char id[24];
    snprintf(id, sizeof id, "call-%u", (unsigned)i);
    sink->tool_call(sink, i, quarry_text_of(id), quarry_text_of("list"),
                    quarry_text_of("{\"path\": \"\"}"));
  }
  sink->keep(sink, text_view(&kept));
  sink->finish(sink, QUARRY_FINISH_TOOL_CALLS);
  text_free(&kept);
}

/* The longest message. */
static void fail_at_length(const quarry_model_sink* sink) {
  struct text message = {NULL, 0, 0};
  text_repeat(&message, 'm', QUARRY_LIMIT_MODEL_MESSAGE);
  fail(sink, text_view(&message));
  text_free(&message);
}

/* Text until nobody wants it any more. */
static void endless(const quarry_call* call, const quarry_model_sink* sink) {
  while (call->state(call) == QUARRY_OK) {
    if (sink->text(sink, quarry_text_of("and on ")) == QUARRY_CANCELLED) return;
  }
}

static void generate(void* instance, const quarry_call* call, quarry_text chat_request,
                     const quarry_model_sink* sink) {
  (void)instance;
  const int first =
      !text_has(chat_request, "\"role\":\"tool\"") && !text_has(chat_request, "\"role\": \"tool\"");
  if (!QUARRY_HAS(sink, error)) return;
  if (text_has(chat_request, "out of ice?")) {
    fail(sink, quarry_text_of("the frozen model is out of ice"));
  } else if (text_has(chat_request, "longest message?")) {
    fail_at_length(sink);
  } else if (text_has(chat_request, "too long?")) {
    sink->text(sink, quarry_text_of("This is too"));
    sink->finish(sink, QUARRY_FINISH_LENGTH);
  } else if (text_has(chat_request, "filtered?")) {
    sink->text(sink, quarry_text_of("This is"));
    sink->finish(sink, QUARRY_FINISH_CONTENT_FILTER);
  } else if (text_has(chat_request, "endless?")) {
    endless(call, sink);
  } else if (!first) {
    last_step(chat_request, sink);
  } else if (text_has(chat_request, "largest step?")) {
    largest_step(sink);
  } else {
    first_step(sink);
  }
}

static void models(void* instance, const quarry_call* call, const quarry_reply* reply) {
  (void)instance, (void)call;
  quarry_answer(reply, "{\"models\": [{\"id\": \"frozen-1\", \"contextTokens\": 128000}]}");
}

const quarry_model_v1 frozen_generate = {
    sizeof(quarry_model_v1), describe, generate, NULL, NULL, NULL, NULL, NULL, NULL, models};
