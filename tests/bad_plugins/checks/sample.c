/* A sound plugin with components of four kinds, and one fault: see faults.h. */
#define _GNU_SOURCE
#include "faults.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>
#include <quarry/draft/store.h>
#include <quarry/draft/symbols.h>
#include <quarry/model.h>
#include <quarry/pricing.h>
#include <quarry/resource.h>
#include <quarry/transport.h>

enum place {
  kNowhere,
  kOpen,
  kCreate,
  kDescribe,
  kDescribeModel,
  kNormalise,
  kResolve,
  kResolveLast,
  kFetch,
  kParseReference,
  kGenerate,
  kModels,
  kBegin,
  kRequest,
  kHead,
  kData,
  kEnd,
  kDestroyExchange,
  kRates,
  kUnknownRates,
  kRefresh,
  kStart,
  kStop,
  kDestroy,
  kClose,
};

#ifndef WHERE
#define WHERE kNowhere
#endif
#ifndef FAULT
#define FAULT none
#endif

/* Faults that are a different way of doing a thing. */
enum habit {
  kSound,
  kBadPath,
  kNewNames,
  kInsist,
  kForgetExample,
  kNoRequest,
  kFtp,
  kOtherHost,
  kForeignSecret,
  kCountPieces,
  kNoEnd,
  kTwoEnds,
  kFinishBroken,
  kIgnoreStatus,
  kBytes,
  kOtherThread,
  kGoOn,
  kKeepOpen,
  kShareState,
  kMarkAtClose,
  kUnlock,
};
#ifndef HABIT
#define HABIT kSound
#endif

struct instance {
  const quarry_host* host;
};

static int act(enum place place, const void* instance, const quarry_call* call, quarry_text text,
               const quarry_reply* reply) {
  const struct instance* mine = instance;
  const struct arguments given = {mine == NULL ? NULL : mine->host, call, reply, text};
  return place == WHERE ? FAULT(given) : 0;
}
static const quarry_text kNothing = {NULL, 0};

/* quarry.resource/1 */
static int destroyed;

static void describe(void* instance, const quarry_call* call, const quarry_reply* reply) {
  if (act(kDescribe, instance, call, kNothing, reply)) return;
  quarry_answer(reply,
                "{\"title\": \"Sample\", \"examples\": [\"sample:Hello\"], \"schema\": "
                "{\"type\": \"object\", \"required\": [\"text\"], \"additionalProperties\": false,"
                " \"properties\": {\"text\": {\"type\": \"string\"}},"
                " \"examples\": [{\"text\": \"Hello\"}]}}");
}
static void normalise(void* instance, const quarry_call* call, quarry_text resource,
                      const quarry_reply* reply) {
  if (HABIT == kShareState && destroyed) abort();
  if (act(kNormalise, instance, call, resource, reply)) return;
  reply->value(reply, resource);
}
static void resolve(void* instance, const quarry_call* call, quarry_text resource, quarry_text last,
                    const quarry_reply* reply) {
  if (act(kResolve, instance, call, resource, reply)) return;
  if (act(kResolveLast, instance, call, last, reply)) return;
  quarry_answer(reply, "{\"id\": \"1\", \"immutable\": true, \"display\": \"the first\"}");
}
static void fetch(void* instance, const quarry_call* call, quarry_text resource,
                  quarry_text version, quarry_text last, const quarry_tree* tree,
                  const quarry_reply* reply) {
  static int count;
  char path[32] = "hello.md";
  (void)version, (void)last;
  if (act(kFetch, instance, call, resource, reply)) return;
  if (HABIT == kBadPath) strcpy(path, "../hello.md");
  if (HABIT == kNewNames) snprintf(path, sizeof path, "hello-%d.md", ++count);
  quarry_status added;
  do {
    added = tree->add_file(tree, quarry_text_of(path), quarry_text_of("# Hello\n"));
  } while (HABIT == kInsist && added != QUARRY_OK);
  if (added == QUARRY_OK) {
    quarry_answer(reply, "{\"state\": {\"etag\": \"1\"}}");
  } else {
    quarry_fail(reply, added, "the file was not accepted", "", "");
  }
}
static void parse_reference(void* instance, const quarry_call* call, quarry_text reference,
                            const quarry_reply* reply) {
  if (act(kParseReference, instance, call, reference, reply)) return;
  const int known = says(reference, "sample:") && HABIT != kForgetExample;
  quarry_answer(reply, known ? "{\"resource\": {\"text\": \"Hello\"}}" : "null");
}
static const quarry_resource_v1 kResource = {.struct_size = sizeof kResource,
                                             .describe = describe,
                                             .normalise = normalise,
                                             .resolve = resolve,
                                             .fetch = fetch,
                                             .parse_reference = parse_reference};

/* quarry.model/1 */
static void describe_model(void* instance, const quarry_call* call, const quarry_reply* reply) {
  if (act(kDescribeModel, instance, call, kNothing, reply)) return;
  quarry_answer(reply, "{\"title\": \"Sample\"}");
}
static void* emit(void* sink) {
  const quarry_model_sink* to = sink;
  to->text(to, quarry_text_of("Hello"));
  return NULL;
}
static void generate(void* instance, const quarry_call* call, quarry_text chat_request,
                     const quarry_model_sink* sink) {
  pthread_t thread;
  if (act(kGenerate, instance, call, chat_request, NULL)) return;
  if (HABIT == kOtherThread && pthread_create(&thread, NULL, emit, (void*)sink) == 0) {
    pthread_join(thread, NULL);
  }
  for (int i = 0; i < 200; ++i) {
    if (sink->text(sink, quarry_text_of("Hello ")) != QUARRY_OK && HABIT != kGoOn) return;
  }
  sink->finish(sink, QUARRY_FINISH_STOP);
}
static void models(void* instance, const quarry_call* call, const quarry_reply* reply) {
  if (act(kModels, instance, call, kNothing, reply)) return;
  quarry_answer(reply, "{\"models\": [{\"id\": \"sample\"}]}");
}

struct quarry_exchange {
  struct instance* instance;
  quarry_http_request request;
  quarry_header header;
  const quarry_header* headers[1];
  int32_t status;
};

static void begin(void* instance, const quarry_call* call, quarry_text chat_request,
                  quarry_exchange** exchange, const quarry_reply* reply) {
  if (act(kBegin, instance, call, chat_request, reply)) return;
  *exchange = calloc(1, sizeof **exchange);
  (*exchange)->instance = instance;
  quarry_answer(reply, "{}");
}
static const quarry_http_request* request(quarry_exchange* mine) {
  if (act(kRequest, mine->instance, NULL, kNothing, NULL) || HABIT == kNoRequest) return NULL;
  mine->header = (quarry_header){.struct_size = sizeof mine->header,
                                 .name = quarry_text_of("Authorization"),
                                 .value = quarry_text_of("Bearer "),
                                 .secret = quarry_text_of("KEY_OF_ANOTHER")};
  mine->headers[0] = &mine->header;
  mine->request =
      (quarry_http_request){.struct_size = sizeof mine->request,
                            .header_count = HABIT == kForeignSecret,
                            .method = quarry_text_of("POST"),
                            .url = quarry_text_of(HABIT == kFtp         ? "ftp://example.org"
                                                  : HABIT == kOtherHost ? "https://example.net"
                                                                        : "https://example.org"),
                            .headers = mine->headers,
                            .body = quarry_text_of("{}")};
  return &mine->request;
}
static void head(quarry_exchange* mine, int32_t status, uint32_t count,
                 const quarry_header* const* headers, const quarry_model_sink* sink) {
  (void)count, (void)headers;
  if (act(kHead, mine->instance, NULL, kNothing, NULL)) return;
  mine->status = HABIT == kIgnoreStatus ? 200 : status;
  if (HABIT == kBytes) sink->text(sink, quarry_text_of("\xff"));
}
static void data(quarry_exchange* mine, quarry_text bytes, const quarry_model_sink* sink) {
  if (act(kData, mine->instance, NULL, bytes, NULL)) return;
  if (mine->status == 200) sink->text(sink, HABIT == kCountPieces ? quarry_text_of(".") : bytes);
}
static void end(quarry_exchange* mine, quarry_end reason, const quarry_model_sink* sink) {
  const quarry_model_error error = {.struct_size = sizeof error,
                                    .status = QUARRY_UNAVAILABLE,
                                    .http_status = mine->status,
                                    .retry_after_ms = -1,
                                    .message = quarry_text_of("the response is no answer")};
  const int broken = reason == QUARRY_END_CUT && HABIT != kFinishBroken;
  if (act(kEnd, mine->instance, NULL, kNothing, NULL) || HABIT == kNoEnd) return;
  if (mine->status != 200 || broken) {
    sink->error(sink, &error);
    return;
  }
  sink->finish(sink, QUARRY_FINISH_STOP);
  if (HABIT == kTwoEnds) sink->finish(sink, QUARRY_FINISH_STOP);
}
static void destroy_exchange(quarry_exchange* mine) {
  act(kDestroyExchange, mine->instance, NULL, kNothing, NULL);
  free(mine);
}
static const quarry_model_v1 kComputed = {
    .struct_size = sizeof kComputed, .describe = describe_model, .generate = generate};
static const quarry_model_v1 kSpoken = {.struct_size = sizeof kSpoken,
                                        .describe = describe_model,
                                        .begin = begin,
                                        .request = request,
                                        .head = head,
                                        .data = data,
                                        .end = end,
                                        .destroy_exchange = destroy_exchange,
                                        .models = models};

/* quarry.pricing/1 */
static void rates(void* instance, const quarry_call* call, quarry_text provider, quarry_text model,
                  const quarry_reply* reply) {
  const int known = says(provider, "openai");
  if (act(kRates, instance, call, model, reply)) return;
  if (!known && act(kUnknownRates, instance, call, model, reply)) return;
  quarry_answer(reply, known ? "{\"source\": \"here\", \"input\": \"1.5\"}" : "null");
}
static void refresh(void* instance, const quarry_call* call, const quarry_reply* reply) {
  if (act(kRefresh, instance, call, kNothing, reply)) return;
  quarry_answer(reply, "{\"changed\": false}");
}
static const quarry_pricing_v1 kPricing = {
    .struct_size = sizeof kPricing, .rates = rates, .refresh = refresh};

/* quarry.transport/1: holds a descriptor while it serves */
static int held[16];
static int held_count;

static void release(void) {
  while (held_count > 0) close(held[--held_count]);
}
static void start(void* instance, const quarry_call* call, const quarry_engine* engine,
                  const quarry_reply* reply) {
  (void)engine;
  if (act(kStart, instance, call, kNothing, reply)) return;
  held[held_count++] = open("/dev/null", O_RDONLY);
  quarry_answer(reply, "{\"listening\": [\"nowhere\"]}");
}
static void stop(void* instance, int64_t grace_ms) {
  (void)grace_ms;
  act(kStop, instance, NULL, kNothing, NULL);
  if (HABIT != kKeepOpen) release();
}
static const quarry_transport_v1 kTransport = {
    .struct_size = sizeof kTransport, .start = start, .stop = stop};

/* of every component */
static void create(const quarry_host* host, const quarry_call* call, quarry_text configuration,
                   void** instance, const quarry_reply* reply) {
  struct instance* mine = malloc(sizeof *mine);
  *mine = (struct instance){host};
  destroyed = 0;
  if (act(kCreate, mine, call, configuration, reply)) {
    free(mine);
    return;
  }
  *instance = mine;
  quarry_answer(reply, "{}");
}
static void destroy(void* instance) {
  act(kDestroy, instance, NULL, kNothing, NULL);
  release();
  destroyed = 1;
  free(instance);
}
#define COMPONENT(kind_of, name_of, table_of)                                                     \
  {                                                                                               \
    .struct_size = sizeof(quarry_component), .kind = kind_of, .name = name_of, .table = table_of, \
    .create = create, .destroy = destroy                                                          \
  }
static const quarry_component kComponents[] = {COMPONENT(QUARRY_RESOURCE, "sample", &kResource),
                                               COMPONENT(QUARRY_MODEL, "computed", &kComputed),
                                               COMPONENT(QUARRY_MODEL, "spoken", &kSpoken),
                                               COMPONENT(QUARRY_PRICING, "prices", &kPricing),
                                               COMPONENT(QUARRY_TRANSPORT, "nowhere", &kTransport)};

/* A provider of a draft kind whose exchanges never write to their sink. */
#define SILENT_KIND(kind)                                                                          \
  static void silent_head(quarry_exchange* exchange, int32_t status, uint32_t count,               \
                          const quarry_header* const* headers, const quarry_##kind##_sink* sink) { \
    (void)exchange, (void)status, (void)count, (void)headers, (void)sink;                          \
  }                                                                                                \
  static void silent_data(quarry_exchange* exchange, quarry_bytes bytes,                           \
                          const quarry_##kind##_sink* sink) {                                      \
    (void)exchange, (void)bytes, (void)sink;                                                       \
  }                                                                                                \
  static void silent_end(quarry_exchange* exchange, quarry_end reason,                             \
                         const quarry_##kind##_sink* sink) {                                       \
    (void)exchange, (void)reason, (void)sink;                                                      \
  }                                                                                                \
  static const quarry_##kind##_v1 kSilent = {.struct_size = sizeof kSilent,                        \
                                             .describe = describe_model,                           \
                                             .begin = begin,                                       \
                                             .request = request,                                   \
                                             .head = silent_head,                                  \
                                             .data = silent_data,                                  \
                                             .end = silent_end,                                    \
                                             .destroy_exchange = destroy_exchange};

#ifdef STORE
static void store_nothing(void* instance, const quarry_call* call, quarry_text asked,
                          const quarry_reply* reply) {
  (void)instance, (void)call, (void)asked;
  quarry_answer(reply, "{}");
}
static const quarry_store_v1 kStore = {.struct_size = sizeof kStore,
                                       .open = store_nothing,
                                       .key = store_nothing,
                                       .create_project = store_nothing,
                                       .projects = store_nothing,
                                       .remove_project = store_nothing,
                                       .create_token = store_nothing,
                                       .tokens = store_nothing,
                                       .find_token = store_nothing,
                                       .revoke_token = store_nothing,
                                       .resources = store_nothing,
                                       .add_resource = store_nothing,
                                       .remove_resource = store_nothing,
                                       .exchange = store_nothing,
                                       .reserve = store_nothing,
                                       .settle = store_nothing,
                                       .end_session = store_nothing,
                                       .record = store_nothing,
                                       .audit = store_nothing,
                                       .forget = store_nothing};
static const quarry_component kMore = COMPONENT(QUARRY_STORE, "forgetful", &kStore);
#elif defined(SYMBOLS) /* the number of its fault */
static void describe_symbols(void* instance, const quarry_call* call, const quarry_reply* reply) {
  (void)instance, (void)call;
  quarry_answer(reply, "{\"title\": \"Faulty\"}");
}
static void definitions(void* instance, const quarry_call* call, quarry_bytes path,
                        quarry_text text, const quarry_reply* reply) {
  static int calls = 0;
  (void)instance, (void)call, (void)path, (void)text;
  if (SYMBOLS == 1) { /* line 2 of a text with fewer lines */
    quarry_answer(reply, "{\"definitions\": [[\"function\", \"main\", 2, 1, 2, -1]]}");
  } else if (SYMBOLS == 3 && __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) % 2 == 0) {
    quarry_answer(reply, "{\"definitions\": [[\"function\", \"main\", 1, 1, 1, -1]]}");
  } else {
    quarry_answer(reply, "{\"definitions\": []}");
  }
}
static void references(void* instance, const quarry_call* call, quarry_bytes path, quarry_text text,
                       quarry_text name, const quarry_reply* reply) {
  (void)instance, (void)call, (void)path, (void)text, (void)name;
  quarry_answer(reply, SYMBOLS == 2 ? "{\"lines\": [1, 1]}" : "{\"lines\": []}");
}
static const quarry_symbols_v1 kSymbols = {.struct_size = sizeof kSymbols,
                                           .describe = describe_symbols,
                                           .definitions = definitions,
                                           .references = references};
static const quarry_component kMore = COMPONENT(QUARRY_SYMBOLS, "faulty", &kSymbols);
#elif defined(EMBEDDING)
SILENT_KIND(embedding)
static const quarry_component kMore = COMPONENT(QUARRY_EMBEDDING, "silent", &kSilent);
#elif defined(RERANK)
SILENT_KIND(rerank)
static const quarry_component kMore = COMPONENT(QUARRY_RERANK, "silent", &kSilent);
#else
static const quarry_component kMore = COMPONENT("quarry.dance/1", "waltz", &kPricing);
#endif

static const quarry_component* const kList[] = {&kComponents[0], &kComponents[1], &kComponents[2],
                                                &kComponents[3], &kComponents[4], &kMore};

static void open_plugin(const quarry_host* host, const quarry_call* call,
                        const quarry_reply* reply) {
  const struct instance mine = {host};
  if (act(kOpen, &mine, call, kNothing, reply)) return;
  if (HABIT == kMarkAtClose) path_of(host, mark, sizeof mark);
  quarry_answer(reply, "{}");
}
static void close_plugin(void) {
  act(kClose, NULL, NULL, kNothing, NULL);
  if (HABIT == kMarkAtClose && mark[0] != '\0') close(open(mark, O_CREAT | O_WRONLY, 0600));
  if (HABIT == kUnlock) unlink(mark);
}

QUARRY_EXPORT extern const quarry_entry quarry_plugin_entry_v1;
const quarry_entry quarry_plugin_entry_v1 = {.struct_size = sizeof quarry_plugin_entry_v1,
                                             .abi_major = QUARRY_ABI_MAJOR,
                                             .abi_minor = QUARRY_ABI_MINOR,
                                             .minimum_host_minor = 0,
                                             .id = ID,
                                             .version = "1.0.0",
                                             .open = open_plugin,
                                             .close = close_plugin,
                                             .component_count = COMPONENTS,
                                             .components = kList};
