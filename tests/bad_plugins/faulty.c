/* A resource type that works, and misbehaves in the function and in the way that its resource or
 * configuration names: "<function>:<fault>", such as "resolve:illegal". */
#define _GNU_SOURCE
#include <quarry/plugin.h>
#include <quarry/resource.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/socket.h>

enum { kHostSocket = 3 };

/* A frame of the runner's protocol: length, kind, call number, payload. */
static void send_frame(uint8_t kind, uint32_t call, uint32_t announced) {
  unsigned char frame[64] = {0};
  memcpy(frame, &announced, 4);
  frame[4] = kind;
  memcpy(frame + 5, &call, 4);
  if (write(kHostSocket, frame, sizeof frame) < 0) _exit(9);
}

static void hang(void) {
  for (;;) pause();
}

/* Two GiB; a refused part ends the process. */
static void allocate(void) {
  const size_t part = (size_t)16 << 20;
  for (int i = 0; i < 128; ++i) {
    char* memory = malloc(part);
    if (memory == NULL) abort();
    memset(memory, 1, part);
  }
}

static void fault(const char* name) {
  if (strcmp(name, "illegal") == 0) raise(SIGILL); /* which no sanitizer handles */
  if (strcmp(name, "abort") == 0) abort();
  if (strcmp(name, "exit") == 0) _exit(7);
  if (strcmp(name, "hang") == 0) hang();
  if (strcmp(name, "allocate") == 0) allocate();
  if (strcmp(name, "giant") == 0) send_frame(1, 1, UINT32_MAX);
  if (strcmp(name, "kind") == 0) send_frame(200, 1, 60);
  if (strcmp(name, "stranger") == 0) send_frame(34, 4711, 60);
  if (strcmp(name, "giant") == 0 || strcmp(name, "kind") == 0 || strcmp(name, "stranger") == 0) {
    hang();
  }
}

static int says(quarry_text text, const char* part) {
  return text.size != 0 && memmem(text.data, text.size, part, strlen(part)) != NULL;
}

/* The outcome of something that a sandbox may deny: "done", or the error. */
static const char* attempt(const char* name) {
  int outcome = 0;
  if (strcmp(name, "passwd") == 0) outcome = open("/etc/passwd", O_RDONLY);
  if (strcmp(name, "write") == 0) outcome = open("/tmp/faulty", O_WRONLY | O_CREAT, 0600);
  if (strcmp(name, "connect") == 0) outcome = socket(AF_INET, SOCK_STREAM, 0);
  if (strcmp(name, "exec") == 0) outcome = execl("/bin/true", "true", (char*)NULL);
  if (strcmp(name, "fork") == 0) outcome = fork();
  if (strcmp(name, "kill") == 0) outcome = kill(getppid(), 0);
  if (strcmp(name, "orphan") == 0) outcome = prctl(PR_SET_PDEATHSIG, 0);
  if (strcmp(name, "libraries") == 0) outcome = open("/usr/lib", O_RDONLY);
  return outcome < 0 ? strerror(errno) : "done";
}

static void reply_attempt(quarry_text resource, const quarry_reply* reply) {
  char name[32] = {0};
  const char* found = memmem(resource.data, resource.size, "attempt:", 8);
  for (size_t i = 0; i + 1 < sizeof name && found[8 + i] != '"'; ++i) name[i] = found[8 + i];
  char json[128];
  snprintf(json, sizeof json, "{\"outcome\": \"%s\"}", attempt(name));
  quarry_answer(reply, json);
}

/* Misbehaves if `text` asks for it in `function`. */
static void act(const char* function, quarry_text text) {
  char wanted[64];
  char name[32] = {0};
  snprintf(wanted, sizeof wanted, "\"%s:", function);
  const char* found = text.size == 0 ? NULL : memmem(text.data, text.size, wanted, strlen(wanted));
  if (found == NULL) return;
  found += strlen(wanted);
  for (size_t i = 0; i + 1 < sizeof name && found[i] != '"'; ++i) name[i] = found[i];
  fault(name);
}

static void describe(void* instance, const quarry_call* call, const quarry_reply* reply) {
  (void)call;
  act("describe", quarry_text_of(instance));
  quarry_answer(reply, "{\"title\": \"Faulty\", \"schema\": {\"type\": \"object\"}}");
}

static void normalise(void* instance, const quarry_call* call, quarry_text resource,
                      const quarry_reply* reply) {
  (void)instance, (void)call;
  act("normalise", resource);
  if (says(resource, "\"silent\"")) return;
  if (says(resource, "attempt:")) {
    reply_attempt(resource, reply);
    return;
  }
  if (says(resource, "\"refused\"")) {
    quarry_fail(reply, QUARRY_INVALID_ARGUMENT, "refused on purpose", "try another",
                "{\"tag\": \"X\", \"fields\": [{\"field\": \"/a\", \"message\": \"bad\"}]}");
    return;
  }
  reply->value(reply, resource);
  if (says(resource, "\"twice\"")) reply->value(reply, resource);
}

static void resolve(void* instance, const quarry_call* call, quarry_text resource, quarry_text last,
                    const quarry_reply* reply) {
  (void)instance, (void)last;
  act("resolve", resource);
  if (says(resource, "\"patient\"")) {
    while (call->state(call) == QUARRY_OK) usleep(1000);
    quarry_fail(reply, call->state(call), "it noticed", "", "");
    return;
  }
  call->progress(call, quarry_text_of("{\"message\": \"resolving\"}"));
  quarry_answer(reply, "{\"id\": \"1\", \"immutable\": true, \"display\": \"the first\"}");
}

/* Adds {"files": <count>} small files, or until the host wants no more. */
static void add_files(quarry_text resource, const quarry_tree* tree) {
  const char* count = memmem(resource.data, resource.size, "\"files\":", 8);
  const long wanted = count == NULL ? 1 : strtol(count + 8, NULL, 10);
  for (long i = 0; i < wanted; ++i) {
    char path[32];
    snprintf(path, sizeof path, "d/%ld.md", i);
    if (tree->add_file(tree, quarry_text_of(path), quarry_text_of("# Hello\n")) != QUARRY_OK)
      return;
  }
}

static void add_described(const quarry_tree* tree) {
  const quarry_file file = {.struct_size = sizeof file,
                            .path = quarry_text_of("titled.md"),
                            .permalink = quarry_text_of("https://faulty.example/titled"),
                            .title = quarry_text_of("Titled")};
  tree->add_described(tree, &file, quarry_text_of("text"));
  if (tree->keep_file(tree, quarry_text_of("kept.md")) == QUARRY_NOT_FOUND) {
    tree->add_file(tree, quarry_text_of("new.md"), quarry_text_of("text"));
  }
}

static void fetch(void* instance, const quarry_call* call, quarry_text resource,
                  quarry_text version, quarry_text last, const quarry_tree* tree,
                  const quarry_reply* reply) {
  (void)instance, (void)call, (void)version, (void)last;
  add_files(resource, tree);
  act("fetch", resource);
  if (says(resource, "\"all\"")) {
    tree->add_large(tree, quarry_text_of("large.bin"), (uint64_t)1 << 40);
    tree->add_link(tree, quarry_text_of("link"));
    add_described(tree);
  }
  if (says(resource, "add:/etc")) tree->add_directory(tree, quarry_text_of("/etc"));
  if (says(resource, "in place:/etc")) tree->use_in_place(tree, quarry_text_of("/etc"));
  quarry_answer(reply, "{\"notes\": [\"a note\"]}");
}

static void parse_reference(void* instance, const quarry_call* call, quarry_text reference,
                            const quarry_reply* reply) {
  (void)instance, (void)call;
  char text[64];
  snprintf(text, sizeof text, "\"%.*s\"", (int)reference.size, reference.data);
  act("parse_reference", quarry_text_of(text));
  quarry_answer(reply, "{\"resource\": {\"name\": \"parsed\"}}");
}

static const quarry_resource_v1 kTable = {.struct_size = sizeof kTable,
                                          .describe = describe,
                                          .normalise = normalise,
                                          .resolve = resolve,
                                          .fetch = fetch,
                                          .parse_reference = parse_reference};

static void create(const quarry_host* host, const quarry_call* call, quarry_text configuration,
                   void** instance, const quarry_reply* reply) {
  (void)host, (void)call;
  act("create", configuration);
  *instance = strndup(configuration.data, configuration.size);
  quarry_answer(reply, "{}");
}

static void destroy(void* instance) {
  act("destroy", quarry_text_of(instance));
  free(instance);
}

static const quarry_component kComponent = {.struct_size = sizeof kComponent,
                                            .kind = QUARRY_RESOURCE,
                                            .name = "faulty",
                                            .table = &kTable,
                                            .create = create,
                                            .destroy = destroy};

QUARRY_PLUGIN_OF_ONE("org.example.faulty", "1.0.0", kComponent);
