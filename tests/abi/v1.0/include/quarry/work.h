/* quarry.work/1: threads. A plugin starts none of its own: it submits jobs, or requests a named
 * loop that the host joins. */
#ifndef QUARRY_WORK_H
#define QUARRY_WORK_H

#include <quarry/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUARRY_WORK "quarry.work/1"

typedef struct quarry_loop quarry_loop; /* the host's state of a loop */

typedef struct quarry_work_v1 quarry_work_v1;
struct quarry_work_v1 {
  uint32_t struct_size;
  void* context;
  /* Runs `job` once on a worker. A job that was accepted always runs; it must not wait for another
   * one. QUARRY_UNAVAILABLE while the host shuts down, QUARRY_RESOURCE_EXHAUSTED when it cannot be
   * queued. [any] */
  quarry_status (*submit)(const quarry_work_v1* self, void (*job)(void* job_context),
                          void* job_context);
  /* Runs `run` on a thread of its own, named `name` (of which 15 bytes are kept). NULL when it
   * cannot be started. [control] */
  quarry_loop* (*start_loop)(const quarry_work_v1* self, const char* name,
                             void (*run)(void* run_context), void* run_context);
  /* Waits until `run` has returned, and frees the loop; NULL is ignored. Every loop must be joined
   * before the component's destroy returns. [control] */
  void (*join_loop)(quarry_loop* loop);
  /* The number of jobs that run at once, at least 1. [any] */
  uint32_t (*concurrency)(const quarry_work_v1* self);
};

#ifdef __cplusplus
}
#endif

#endif
