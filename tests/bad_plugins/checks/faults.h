/* Faults of sample.c: one at the place WHERE, selected by FAULT. Each returns 1 if the function is
 * to return at once. */
#ifndef QUARRY_TESTS_FAULTS_H
#define QUARRY_TESTS_FAULTS_H

#include <quarry/plugin.h>
#include <quarry/services.h>

#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define FAULT_FUNCTION __attribute__((unused)) static int

/* The arguments of the function at fault; those that it does not have are NULL or empty. */
struct arguments {
  const quarry_host* host;
  const quarry_call* call;
  const quarry_reply* reply;
  quarry_text text;
};

static int says(quarry_text text, const char* part) {
  return text.size != 0 && memmem(text.data, text.size, part, strlen(part)) != NULL;
}

/* the function itself */
FAULT_FUNCTION none(struct arguments given) {
  (void)given;
  return 0;
}
FAULT_FUNCTION hang(struct arguments given) {
  for (;;) pause();
  return given.call != NULL;
}
FAULT_FUNCTION hang_when_over(struct arguments given) {
  return given.call->state(given.call) == QUARRY_OK ? 0 : hang(given);
}
FAULT_FUNCTION end_by_abort(struct arguments given) {
  (void)given;
  abort();
}
FAULT_FUNCTION end_by_exit(struct arguments given) {
  (void)given;
  exit(7);
}
extern void throw_something(void);
FAULT_FUNCTION end_by_throw(struct arguments given) {
  (void)given;
#ifdef THROWS
  throw_something();
#endif
  return 0;
}
FAULT_FUNCTION silent(struct arguments given) {
  (void)given;
  return 1;
}
FAULT_FUNCTION fail_and_go_on(struct arguments given) {
  quarry_fail(given.reply, QUARRY_INTERNAL, "the first outcome", "", "");
  return 0;
}
FAULT_FUNCTION say_number(struct arguments given) {
  quarry_answer(given.reply, "7");
  return 1;
}
FAULT_FUNCTION say_no_json(struct arguments given) {
  quarry_answer(given.reply, "{");
  return 1;
}
FAULT_FUNCTION say_bytes(struct arguments given) {
  quarry_answer(given.reply, "{\"id\": \"\xff\", \"title\": \"\xff\", \"schema\": {}}");
  return 1;
}
FAULT_FUNCTION say_null(struct arguments given) {
  quarry_answer(given.reply, "null");
  return 1;
}
FAULT_FUNCTION say_wrong_member(struct arguments given) {
  quarry_answer(given.reply,
                "{\"title\": 7, \"id\": 7, \"notes\": 7, \"resource\": 7, \"models\": 7,"
                " \"input\": 7, \"changed\": 7, \"listening\": 7}");
  return 1;
}
FAULT_FUNCTION say_no_price(struct arguments given) {
  quarry_answer(given.reply, "{\"source\": \"here\", \"input\": \"cheap\"}");
  return 1;
}
FAULT_FUNCTION say_price(struct arguments given) {
  quarry_answer(given.reply, "{\"source\": \"here\", \"input\": \"1.5\"}");
  return 1;
}
FAULT_FUNCTION say_other_schema(struct arguments given) {
  quarry_answer(given.reply,
                "{\"title\": \"Sample\", \"schema\": {\"type\": \"object\","
                " \"examples\": [{\"text\": \"Hello\"}]}}");
  return 1;
}
FAULT_FUNCTION fail_without_field(struct arguments given) {
  if (!says(given.text, "\"\"")) return 0;
  quarry_fail(given.reply, QUARRY_INVALID_ARGUMENT, "it is wrong", "", "");
  return 1;
}
FAULT_FUNCTION abort_at_true(struct arguments given) {
  return says(given.text, "true") ? end_by_abort(given) : 0;
}
FAULT_FUNCTION abort_at_nothing(struct arguments given) {
  return given.text.size == 0 ? end_by_abort(given) : 0;
}
FAULT_FUNCTION fail_at_text(struct arguments given) {
  if (given.text.size == 0) return 0;
  quarry_fail(given.reply, QUARRY_UNAVAILABLE, "the last version is of no use", "", "");
  return 1;
}
FAULT_FUNCTION flip(struct arguments given) {
  quarry_answer(given.reply, says(given.text, "\"Hello\"") ? "{\"text\": \"Goodbye\"}"
                                                           : "{\"text\": \"Hello\"}");
  return 1;
}
FAULT_FUNCTION overlap(struct arguments given) {
  static int inside;
  if (__atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST) != 0) return end_by_abort(given);
  usleep(2000);
  __atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST);
  return 0;
}
/* Longer than a tenth of a limit of 5.5 s, and three times within one of 3 s. */
FAULT_FUNCTION slow_for_one(struct arguments given) {
  if (says(given.text, "example.org/a") && !says(given.text, "/b")) usleep(600 * 1000);
  return 0;
}
static inline void ignore_value(const quarry_reply* self, quarry_text json) {
  (void)self, (void)json;
}
static inline void ignore_failure(const quarry_reply* self, const quarry_failure* failure) {
  (void)self, (void)failure;
}
FAULT_FUNCTION use_network(struct arguments given) {
  const quarry_reply ignored = {sizeof ignored, NULL, ignore_value, ignore_failure};
  const quarry_http_v1* http = given.host->service(given.host, QUARRY_HTTP);
  http->permit(http, given.call, quarry_text_of("https://example.org"), &ignored);
  return 0;
}

/* the process */
FAULT_FUNCTION change_directory(struct arguments given) {
  (void)given;
  return chdir("/") != 0;
}
FAULT_FUNCTION set_variable(struct arguments given) {
  (void)given;
  return setenv("LEFT_BEHIND", "1", 1) != 0;
}
static inline void handle(int number) {
  (void)number;
}
FAULT_FUNCTION install_handler(struct arguments given) {
  (void)given;
  return signal(SIGUSR1, handle) == SIG_ERR;
}
FAULT_FUNCTION block_signal(struct arguments given) {
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR2);
  (void)given;
  return pthread_sigmask(SIG_BLOCK, &blocked, NULL) != 0;
}
FAULT_FUNCTION change_locale(struct arguments given) {
  (void)given;
  return setlocale(LC_ALL, "C.UTF-8") == NULL;
}
FAULT_FUNCTION change_umask(struct arguments given) {
  (void)given;
  umask(0123);
  return 0;
}
FAULT_FUNCTION lower_limit(struct arguments given) {
  struct rlimit limit;
  (void)given;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = 200;
  return setrlimit(RLIMIT_NOFILE, &limit) != 0;
}
FAULT_FUNCTION open_descriptor(struct arguments given) {
  static int opened;
  (void)given;
  return opened++ == 0 && open("/dev/null", O_RDONLY) < 0;
}
/* The thread runs code of the C library, which stays when this plugin is unloaded. */
FAULT_FUNCTION start_thread(struct arguments given) {
  static int started;
  unsigned int (*wait)(unsigned int) = sleep;
  void* (*run)(void*);
  pthread_t thread;
  (void)given;
  memcpy(&run, &wait, sizeof run);
  return started++ == 0 && pthread_create(&thread, NULL, run, (void*)(uintptr_t)1000) != 0;
}
FAULT_FUNCTION start_process(struct arguments given) {
  static int started;
  if (started++ == 0 && fork() == 0) return hang(given);
  return 0;
}
FAULT_FUNCTION start_detached_process(struct arguments given) {
  static int started;
  if (started++ == 0 && fork() == 0) {
    setsid();
    if (fork() == 0) return hang(given);
    _exit(0);
  }
  return 0;
}
FAULT_FUNCTION print(struct arguments given) {
  (void)given;
  printf("hello\n");
  return 0;
}
FAULT_FUNCTION print_error(struct arguments given) {
  (void)given;
  fprintf(stderr, "hello\n");
  return 0;
}
/* Two GiB, or as much as there is. */
FAULT_FUNCTION take_memory(struct arguments given) {
  enum { kParts = 128 };
  const size_t size = (size_t)16 << 20;
  char* parts[kParts];
  int count = 0;
  (void)given;
  for (; count < kParts && (parts[count] = aligned_alloc((size_t)2 << 20, size)) != NULL; ++count) {
    madvise(parts[count], size, MADV_HUGEPAGE); /* a page fault for each 2 MiB */
    memset(parts[count], 1, size);
  }
  while (count > 0) free(parts[--count]);
  return 0;
}
FAULT_FUNCTION leak(struct arguments given) {
  static char* volatile last;
  (void)given;
  last = malloc(256 << 10);
  return last == NULL;
}

/* files that outlive a generation */
static inline void path_of(const quarry_host* host, char* path, size_t size) {
  const quarry_paths_v1* paths = host->service(host, QUARRY_PATHS);
  const quarry_text data = paths->data(paths);
  snprintf(path, size, "%.*s/mark", (int)data.size, data.data);
}
static char mark[4096]; /* of this generation */
FAULT_FUNCTION refuse_marked(struct arguments given) {
  path_of(given.host, mark, sizeof mark);
  if (access(mark, F_OK) != 0) return 0;
  quarry_fail(given.reply, QUARRY_UNAVAILABLE, "it was used before", "", "");
  return 1;
}
FAULT_FUNCTION lock_file(struct arguments given) {
  path_of(given.host, mark, sizeof mark);
  const int file = open(mark, O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (file >= 0) return close(file);
  mark[0] = '\0';
  quarry_fail(given.reply, QUARRY_UNAVAILABLE, "it is in use", "", "");
  return 1;
}

#endif
