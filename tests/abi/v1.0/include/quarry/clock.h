/* quarry.clock/1: time, and a sleep that ends with the call. */
#ifndef QUARRY_CLOCK_H
#define QUARRY_CLOCK_H

#include <quarry/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUARRY_CLOCK "quarry.clock/1"

typedef struct quarry_clock_v1 quarry_clock_v1;
struct quarry_clock_v1 {
  uint32_t struct_size;
  void* context;
  int64_t (*wall_ms)(const quarry_clock_v1* self); /* since 1970-01-01 UTC. [any] */
  int64_t (*steady_ns)(
      const quarry_clock_v1* self); /* monotonic, from an arbitrary origin. [any] */
  /* Returns QUARRY_OK after `milliseconds`, at most a day; at once when they are 0 or less.
   * [worker]
   */
  quarry_status (*sleep)(const quarry_clock_v1* self, const quarry_call* call,
                         int64_t milliseconds);
};

#ifdef __cplusplus
}
#endif

#endif
