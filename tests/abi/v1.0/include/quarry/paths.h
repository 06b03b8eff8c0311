/* quarry.paths/1: directories for a plugin's files. Absolute paths, valid as long as the table;
 * empty when the directory cannot be created. Several processes and, during a reload, two
 * generations of the plugin use them at once: lock what you write. */
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
  /* The cache directory, created on first use and used by this plugin alone. To shrink or clear it,
   * the host removes entries (directories directly beneath it), the one with the oldest
   * modification time first. A user of an entry therefore holds flock(2) on the directory itself,
   * shared or exclusive, sets its time, and checks after locking that its path still leads to it. A
   * new entry is created under a name that begins with '.', locked, and renamed: an unlocked one of
   * such a name was left by a crash and is removed. [any] */
  quarry_bytes (*cache)(const quarry_paths_v1* self);
  /* The directory for permanent data, created on first use and used by this plugin alone. [any] */
  quarry_bytes (*data)(const quarry_paths_v1* self);
};

#ifdef __cplusplus
}
#endif

#endif
