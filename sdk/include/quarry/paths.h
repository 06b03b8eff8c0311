/* quarry.paths/1: where a plugin may keep files. Absolute; valid as long as the table. */
#ifndef QUARRY_PATHS_H
#define QUARRY_PATHS_H

#include <quarry/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUARRY_PATHS "quarry.paths/1"

typedef struct quarry_paths_v1 quarry_paths_v1;
struct quarry_paths_v1 {
  uint32_t struct_size;
  void* context;
  /* Created on first use, this plugin's alone. The host removes what lies in it entry by entry (an
   * entry is a directory directly beneath it), the one with the oldest time of change first, when
   * the cache is to shrink or is cleared. Whoever uses an entry therefore holds flock(2) on the
   * directory itself, shared or exclusive, sets its time, and checks after locking that its path
   * still leads to it. A new entry is made under a name that begins with '.', locked, and renamed:
   * an unlocked one of such a name is what a crash left, and removed. [any] */
  quarry_text (*cache)(const quarry_paths_v1* self);
  /* Kept. Created on first use, this plugin's alone. [any] */
  quarry_text (*data)(const quarry_paths_v1* self);
};

#ifdef __cplusplus
}
#endif

#endif
