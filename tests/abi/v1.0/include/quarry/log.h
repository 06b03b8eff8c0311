/* quarry.log/1: lines for the operator. The host adds time, plugin and level, and removes known
 * secrets. */
#ifndef QUARRY_LOG_H
#define QUARRY_LOG_H

#include <quarry/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUARRY_LOG "quarry.log/1"

#define QUARRY_LOG_DEBUG 1
#define QUARRY_LOG_INFO 2
#define QUARRY_LOG_WARNING 3
#define QUARRY_LOG_ERROR 4

typedef struct quarry_log_v1 quarry_log_v1;
struct quarry_log_v1 {
  uint32_t struct_size;
  void* context;
  void (*write)(const quarry_log_v1* self, int32_t level, quarry_text message); /* [any] */
  /* Returns 1 when lines of this level are kept; avoids building unused messages. [any] */
  int32_t (*enabled)(const quarry_log_v1* self, int32_t level);
};

#ifdef __cplusplus
}
#endif

#endif
