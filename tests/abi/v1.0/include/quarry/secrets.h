/* quarry.secrets/1: the values of the secrets that the manifest lists. */
#ifndef QUARRY_SECRETS_H
#define QUARRY_SECRETS_H

#include <quarry/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUARRY_SECRETS "quarry.secrets/1"

typedef struct quarry_secrets_v1 quarry_secrets_v1;
struct quarry_secrets_v1 {
  uint32_t struct_size;
  void* context;
  /* `name`: one of `secrets` in the manifest, or the value of a field that "field:" names there: in
   * a resource, or in the configuration of an instance. The value is a JSON string.
   * QUARRY_NOT_FOUND when the secret is not set, QUARRY_PERMISSION_DENIED when the manifest does
   * not list it. May run a command of the configuration. [worker] */
  void (*get)(const quarry_secrets_v1* self, const quarry_call* call, quarry_text name,
              const quarry_reply* reply);
  /* From now on the host removes this text, if it has at least 4 bytes, from its log, failures and
   * records. For secrets that the plugin found by itself. [any] */
  void (*hide)(const quarry_secrets_v1* self, quarry_text value);
};

#ifdef __cplusplus
}
#endif

#endif
