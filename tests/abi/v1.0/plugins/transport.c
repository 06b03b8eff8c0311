/* A transport over a Unix socket: one client at a time, and lines of text. A client says
 *   call <method> <params>     -> value <json>, or failure <status> <message>
 *   cancel <method> <params>   -> the same, after the call was cancelled
 *   events <id> <after>        -> event <number> <type> <json> …, end, or failure … */
#define _POSIX_C_SOURCE 200809L
#include "text.h"

#include <quarry/transport.h>
#include <quarry/work.h>

#include <poll.h>
#include <unistd.h>

#include <sys/socket.h>
#include <sys/un.h>

struct transport {
  const quarry_host* host;
  const quarry_work_v1* work;
  const quarry_engine* engine;
  struct text socket;
  quarry_loop* loop;
  int listening;
  int stop[2]; /* a pipe: readable when the loop must end */
  int wake[2]; /* a pipe: a byte for each reply or event */
  int client;
};

static void wake(void* context) {
  struct transport* self = context;
  if (write(self->wake[1], "w", 1) != 1) abort();
}

/* Waits for a wake. Returns 0 when the loop must end first. */
static int await_wake(struct transport* self) {
  struct pollfd files[2];
  char byte;
  files[0].fd = self->wake[0];
  files[1].fd = self->stop[0];
  files[0].events = files[1].events = POLLIN;
  if (poll(files, 2, -1) < 0) return 0;
  if ((files[0].revents & POLLIN) != 0) return read(self->wake[0], &byte, 1) == 1;
  return 0;
}

static void say(struct transport* self, const struct text* line) {
  size_t sent = 0;
  while (sent < line->size) {
    const ssize_t part = write(self->client, line->data + sent, line->size - sent);
    if (part <= 0) return;
    sent += (size_t)part;
  }
}

/* The outcome of a call; used on any thread. */
struct answer {
  quarry_reply reply;
  struct transport* transport;
  struct text line;
  int done;
};

static void finish(struct answer* answer) {
  struct transport* transport = answer->transport; /* the answer may be gone once it is done */
  text_put(&answer->line, "\n");
  __atomic_store_n(&answer->done, 1, __ATOMIC_RELEASE);
  wake(transport);
}

static void answer_value(const quarry_reply* reply, quarry_text json) {
  struct answer* answer = reply->context;
  text_put(&answer->line, "value ");
  text_add(&answer->line, json.data, json.size);
  finish(answer);
}

static void answer_failure(const quarry_reply* reply, const quarry_failure* failure) {
  struct answer* answer = reply->context;
  text_format(&answer->line, "failure %d ", failure->status);
  text_add(&answer->line, failure->message.data, failure->message.size);
  finish(answer);
}

static void serve_call(struct transport* self, quarry_text method, quarry_text params,
                       int cancelled) {
  struct answer answer;
  uint64_t handle;
  memset(&answer, 0, sizeof answer);
  answer.reply.struct_size = sizeof answer.reply;
  answer.reply.context = &answer;
  answer.reply.value = answer_value;
  answer.reply.failure = answer_failure;
  answer.transport = self;
  handle = self->engine->call(self->engine, method, params, &answer.reply);
  if (cancelled) self->engine->cancel(self->engine, handle);
  /* The reply is used once, also when the loop must end; an older wake may come first. */
  while (!__atomic_load_n(&answer.done, __ATOMIC_ACQUIRE)) {
    char byte;
    if (!await_wake(self)) {
      self->engine->cancel(self->engine, handle);
      if (read(self->wake[0], &byte, 1) != 1) abort();
    }
  }
  if (handle != 0) say(self, &answer.line);
  text_free(&answer.line);
}

static void write_event(void* context, const quarry_event* event) {
  struct text* out = context;
  if (!QUARRY_HAS(event, json)) return;
  text_format(out, "event %u ", (unsigned)event->number);
  text_add(out, event->type.data, event->type.size);
  text_put(out, " ");
  text_add(out, event->json.data, event->json.size);
  text_put(out, "\n");
}

static void serve_events(struct transport* self, quarry_text id, uint64_t after) {
  struct text out = {NULL, 0, 0};
  quarry_reader* reader = self->engine->open_reader(self->engine, id, after, wake, self);
  quarry_read state = QUARRY_READ_MORE;
  if (reader == NULL) {
    text_format(&out, "failure %d there is no such question\n", QUARRY_NOT_FOUND);
    say(self, &out);
  }
  while (reader != NULL && state != QUARRY_READ_END) {
    state = self->engine->read(reader, 64, write_event, &out);
    say(self, &out);
    out.size = 0;
    if (state == QUARRY_READ_EMPTY && !await_wake(self)) break;
  }
  if (reader != NULL) {
    self->engine->close_reader(reader);
    text_put(&out, "end\n");
    say(self, &out);
  }
  text_free(&out);
}

/* The next word of a line, which loses it. */
static quarry_text next_word(quarry_text* line) {
  quarry_text word = *line;
  word.size = 0;
  while (word.size < line->size && word.data[word.size] != ' ') ++word.size;
  line->data += word.size;
  line->size -= word.size;
  if (line->size != 0) ++line->data, --line->size;
  return word;
}

static void serve_line(struct transport* self, quarry_text line) {
  const quarry_text verb = next_word(&line), name = next_word(&line);
  if (text_has(verb, "call")) serve_call(self, name, line, 0);
  if (text_has(verb, "cancel")) serve_call(self, name, line, 1);
  if (text_has(verb, "events")) serve_events(self, name, strtoull(line.data, NULL, 10));
}

/* Returns 0 when the loop must end. */
static int await_input(struct transport* self, int file) {
  struct pollfd files[2];
  files[0].fd = file;
  files[1].fd = self->stop[0];
  files[0].events = files[1].events = POLLIN;
  return poll(files, 2, -1) > 0 && files[1].revents == 0;
}

static void serve_client(struct transport* self) {
  struct text input = {NULL, 0, 0};
  char bytes[4096];
  while (await_input(self, self->client)) {
    const ssize_t size = read(self->client, bytes, sizeof bytes);
    char* end;
    if (size <= 0) break;
    text_add(&input, bytes, (size_t)size);
    while ((end = memchr(input.data, '\n', input.size)) != NULL) {
      quarry_text line;
      line.data = input.data;
      line.size = (size_t)(end - input.data);
      *end = '\0';
      serve_line(self, line);
      input.size -= line.size + 1;
      memmove(input.data, end + 1, input.size);
    }
  }
  text_free(&input);
}

static void run(void* context) {
  struct transport* self = context;
  while (await_input(self, self->listening)) {
    self->client = accept(self->listening, NULL, NULL);
    if (self->client < 0) continue;
    serve_client(self);
    close(self->client);
  }
}

static int listen_at(const char* path) {
  struct sockaddr_un address;
  const int file = socket(AF_UNIX, SOCK_STREAM, 0);
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  if (file < 0 || strlen(path) >= sizeof address.sun_path) return -1;
  memcpy(address.sun_path, path, strlen(path));
  if (bind(file, (const struct sockaddr*)&address, sizeof address) != 0 || listen(file, 8) != 0) {
    close(file);
    return -1;
  }
  return file;
}

static void start(void* instance, const quarry_call* call, const quarry_engine* engine,
                  const quarry_reply* reply) {
  struct transport* self = instance;
  struct text json = {NULL, 0, 0};
  if (call->state(call) != QUARRY_OK || self->work == NULL || !QUARRY_HAS(engine, close_reader)) {
    quarry_fail(reply, QUARRY_UNSUPPORTED, "this host offers no threads", "", "");
    return;
  }
  self->engine = engine;
  self->listening = listen_at(self->socket.data);
  if (self->listening < 0 || pipe(self->stop) != 0 || pipe(self->wake) != 0) {
    quarry_fail(reply, QUARRY_UNAVAILABLE, "the socket cannot be opened", "name another path", "");
    return;
  }
  self->loop = self->work->start_loop(self->work, "frozen-lines", run, self);
  text_put(&json, "{\"listening\": [\"unix:");
  text_put(&json, self->socket.data);
  text_put(&json, "\"]}");
  reply->value(reply, text_view(&json));
  text_free(&json);
}

static void stop(void* instance, int64_t grace_ms) {
  struct transport* self = instance;
  (void)grace_ms; /* a call in progress is cancelled */
  if (self->loop == NULL) return;
  if (write(self->stop[1], "s", 1) != 1) abort();
  self->work->join_loop(self->loop);
  self->loop = NULL;
  close(self->listening);
  close(self->stop[0]), close(self->stop[1]);
  close(self->wake[0]), close(self->wake[1]);
  unlink(self->socket.data);
}

static void create(const quarry_host* host, const quarry_call* call, quarry_text configuration,
                   void** instance, const quarry_reply* reply) {
  struct transport* self = calloc(1, sizeof *self);
  (void)call;
  if (self == NULL) abort();
  self->host = host;
  self->work = host->service(host, QUARRY_WORK);
  self->socket = text_member(configuration, "socket");
  *instance = self;
  quarry_answer(reply, "{}");
}

static void destroy(void* instance) {
  struct transport* self = instance;
  text_free(&self->socket);
  free(self);
}

static const quarry_transport_v1 table = {sizeof table, start, stop};
static const quarry_component component = {
    sizeof component, 0, QUARRY_TRANSPORT, "frozen-lines", &table, create, destroy};
QUARRY_PLUGIN_OF_ONE("org.example.frozen-transport", "1.0.0", component);
