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
  /* May be emptied at any time between calls. Created on first use, this plugin's alone. [any] */
  quarry_text (*cache)(const quarry_paths_v1* self);
  /* Kept. Created on first use, this plugin's alone. [any] */
  quarry_text (*data)(const quarry_paths_v1* self);
};

#ifdef __cplusplus
}
#endif

#endif
