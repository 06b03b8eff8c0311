/* What a plugin of these tests does wrong, by name. */
#ifndef QUARRY_TESTS_FAULT_H
#define QUARRY_TESTS_FAULT_H

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAULT_HOST_SOCKET 3

#ifdef __cplusplus
extern "C" {
#endif

/* A frame of the runner's protocol: length, kind, call number, payload. */
static inline void send_frame(uint8_t kind, uint32_t call, uint32_t announced) {
  unsigned char frame[64] = {0};
  memcpy(frame, &announced, 4);
  frame[4] = kind;
  memcpy(frame + 5, &call, 4);
  if (write(FAULT_HOST_SOCKET, frame, sizeof frame) < 0) _exit(9);
}

static inline void send_garbage(void) {
  static const char garbage[] = "GET / HTTP/1.1\r\nHost: not a frame of this protocol\r\n\r\n";
  if (write(FAULT_HOST_SOCKET, garbage, sizeof garbage) < 0) _exit(9);
}

static inline void hang(void) {
  for (;;) pause();
}

/* Two GiB; a refused part ends the process. */
static inline void allocate(void) {
  const size_t part = (size_t)16 << 20;
  for (int i = 0; i < 128; ++i) {
    char* memory = (char*)malloc(part);
    if (memory == NULL) abort();
    memset(memory, 1, part);
  }
}

/* 64 MiB on standard output. */
static inline void chatter(void) {
  static char line[1 << 16];
  memset(line, 'x', sizeof line - 1);
  line[sizeof line - 1] = '\n';
  for (int i = 0; i < 1024; ++i) {
    if (write(STDOUT_FILENO, line, sizeof line) < 0) abort();
  }
}

/* Until the system refuses one. */
static inline void start_processes(void) {
  while (fork() >= 0) {
  }
  abort();
}

static inline void* hang_thread(void* nothing) {
  hang();
  return nothing;
}

/* Some that never end. */
static inline void start_threads(void) {
  pthread_t thread;
  for (int i = 0; i < 50; ++i) {
    if (pthread_create(&thread, NULL, hang_thread, NULL) != 0) abort();
    pthread_detach(thread);
  }
}

/* The state of the process that a plugin must not change. */
static inline void change_process(void) {
  if (chdir("/") != 0) abort();
  setenv("PATH", "/nowhere", 1);
  signal(SIGTERM, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  puts("a line on standard output");
  fflush(stdout);
}

static inline void fault(const char* name) {
  if (strcmp(name, "illegal") == 0) raise(SIGILL); /* which no sanitizer handles */
  if (strcmp(name, "segv") == 0) raise(SIGSEGV);
  if (strcmp(name, "abort") == 0) abort();
  if (strcmp(name, "exit") == 0) _exit(7);
  if (strcmp(name, "hang") == 0) hang();
  if (strcmp(name, "allocate") == 0) allocate();
  if (strcmp(name, "chatter") == 0) chatter();
  if (strcmp(name, "fork") == 0) start_processes();
  if (strcmp(name, "threads") == 0) start_threads();
  if (strcmp(name, "process") == 0) change_process();
  if (strcmp(name, "giant") == 0) send_frame(1, 1, UINT32_MAX), hang();
  if (strcmp(name, "kind") == 0) send_frame(200, 1, 60), hang();
  if (strcmp(name, "stranger") == 0) send_frame(34, 4711, 60), hang();
  if (strcmp(name, "garbage") == 0) send_garbage(), hang();
}

/* Does what stands after "<place>:" in the text of `size` bytes, up to the next quotation mark or
 * space. */
static inline void fault_at(const char* place, const char* text, size_t size) {
  char wanted[64];
  char name[32] = {0};
  snprintf(wanted, sizeof wanted, "%s:", place);
  const char* found = size == 0 ? NULL : (const char*)memmem(text, size, wanted, strlen(wanted));
  if (found == NULL) return;
  found += strlen(wanted);
  const char* const end = text + size;
  for (size_t i = 0; i + 1 < sizeof name && found + i < end; ++i) {
    if (found[i] == '"' || found[i] == ' ' || found[i] == '\\') break;
    name[i] = found[i];
  }
  fault(name);
}

#ifdef __cplusplus
}
#endif

#endif
