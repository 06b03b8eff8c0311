/* quarry.process/1: runs programs that the manifest permits, without a shell, each in its own
 * process group, which is killed when the program ends or the call is over. */
#ifndef QUARRY_PROCESS_H
#define QUARRY_PROCESS_H

#include <quarry/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUARRY_PROCESS "quarry.process/1"

typedef struct quarry_process_spec {
  uint32_t struct_size;
  uint32_t argument_count;         /* without the program */
  quarry_bytes program;            /* a bare name, found in PATH, or an absolute path */
  const quarry_bytes* arguments;   /* none may contain NUL */
  uint32_t environment_count;      /* the whole environment; PATH and HOME are added if missing */
  const quarry_bytes* environment; /* "NAME=value" */
  quarry_bytes directory;          /* absolute; empty = "/" */
  quarry_bytes input;              /* for standard input */
  uint64_t output_limit;           /* bytes of each output stream; 0 = 64 MiB */
  uint64_t file_limit;             /* bytes of the largest file written; 0 = no limit */
  uint64_t memory_limit;           /* bytes of private memory per process; 0 = no limit */
} quarry_process_spec;

typedef struct quarry_process_sink quarry_process_sink;
struct quarry_process_sink {
  uint32_t struct_size;
  void* context;
  /* The next bytes; any status but QUARRY_OK kills the program. On the calling thread. Either may
   * be NULL. */
  quarry_status (*output)(const quarry_process_sink* self, quarry_bytes bytes);
  quarry_status (*error_output)(const quarry_process_sink* self, quarry_bytes bytes);
};

typedef struct quarry_process_v1 quarry_process_v1;
struct quarry_process_v1 {
  uint32_t struct_size;
  void* context;
  /* Blocks until the program has ended and its output was delivered. The value is {"exit": 0} or
   * {"signal": 9}. Failures: QUARRY_PERMISSION_DENIED, not in the manifest; QUARRY_NOT_FOUND;
   * QUARRY_RESOURCE_EXHAUSTED, more output than its limit; QUARRY_CANCELLED, by the sink; the call
   * is over. The sink may be NULL. [worker] */
  void (*run)(const quarry_process_v1* self, const quarry_call* call,
              const quarry_process_spec* spec, const quarry_process_sink* sink,
              const quarry_reply* reply);
};

#ifdef __cplusplus
}
#endif

#endif
