/* The core of the contract between the Quarry host and its plugins.
 *
 * Version policy. A released entity never changes its meaning, owner or thread tag. Structs grow at
 * their end only, and only with a new minor: a field added after 1.0 exists when QUARRY_HAS says
 * so, the fields of 1.0 always exist. New meaning gets a new field or a new id. Statuses may be
 * added in both directions: either side reads one that it does not know as QUARRY_INTERNAL, and
 * QUARRY_OK in a failure too. The host ignores unknown flags and does not use components of an
 * unknown kind. Other constants that the host passes are not added to, unless their comment says
 * so. A plugin loads when the majors match and its
 * minimum_host_minor is not above the host's minor.
 *
 * Memory. The side that passes a pointer owns its target and lends it for the call only, unless a
 * comment says otherwise. Neither side frees memory that the other allocated. A result is passed to
 * a function of a callback table (quarry_reply, a sink), and the table's owner copies it before
 * that function returns.
 *
 * Pointers. Arguments and context-taking functions are not NULL unless a comment says so; functions
 * of a table that the host made are never NULL when QUARRY_HAS them.
 *
 * Text is UTF-8 with a length and no terminator; {NULL, 0} is the empty text. The host replaces
 * malformed bytes of a plugin's text by U+FFFD. Paths and bodies are bytes.
 *
 * JSON is RFC 8259 in UTF-8. The host refuses a plugin's value that is malformed, repeats a name in
 * one object, has more than QUARRY_LIMIT_JSON_LEVELS levels, NUL in a name, or a number beyond a
 * double; what it passes obeys the same. Integers are written without fraction and exponent and lie
 * within int64. Every object that the host passes may gain members: ignore those that you do not
 * know. The host ignores unknown members of a plugin's values.
 *
 * Exceptions, longjmp and signals never cross the boundary, in either direction. A plugin starts no
 * threads of its own, changes no process-wide state (signals, locale, environment, working
 * directory, limits), and is never torn down from static destructors.
 *
 * Lifecycle. open; then create, any number of times; then the functions of the instances; then
 * destroy, once an instance; then close. When open or create fails, the plugin has released what it
 * took: close or destroy is not called for it. The plugin waits in destroy (in close, for
 * those of open) until its jobs and loops have ended. Functions of the host's sinks, trees and
 * replies never call the plugin before they return, unless their comment says so. Functions of a
 * plugin's own sinks and replies may call services, if they may block.
 *
 * Threads. Each function's comment ends with its tag:
 *   [control]  one thread at a time for a plugin, not always the same; may block briefly
 *   [worker]   any thread that may block, several at once on one instance (unless QUARRY_SERIAL)
 *   [io]       any thread, one at a time for one exchange and several at once for different ones;
 *              must not block
 *   [any]      any thread, several at once; must not block
 * A function that the host offers may be called, if it is tagged [control], from [control]
 * functions of the plugin; [worker], also from its [worker] functions, jobs and loops; [any], from
 * everywhere.
 */
#ifndef QUARRY_ABI_H
#define QUARRY_ABI_H

#include <stddef.h>
#include <stdint.h>

#define QUARRY_ABI_MAJOR 1u
#define QUARRY_ABI_MINOR 0u

/* True if the struct at `pointer`, which the other side made, has `field`: the other side may have
 * been built with an older minor. The only test of presence: sizeof is this side's. */
#define QUARRY_HAS(pointer, field) \
  ((pointer)->struct_size >=       \
   (size_t)((const char*)(&(pointer)->field + 1) - (const char*)(pointer)))

#ifdef __cplusplus
extern "C" {
#endif

typedef struct quarry_text {
  const char* data;
  size_t size;
} quarry_text;

/* The same for bytes of any value, such as a path. */
typedef quarry_text quarry_bytes;

/* The outcome of a call: QUARRY_OK, or the kind of failure. */
typedef int32_t quarry_status;
#define QUARRY_OK ((quarry_status)0)
#define QUARRY_INVALID_ARGUMENT ((quarry_status)1)
#define QUARRY_NOT_FOUND ((quarry_status)2)
#define QUARRY_PERMISSION_DENIED ((quarry_status)3)
#define QUARRY_UNAUTHENTICATED ((quarry_status)4)
#define QUARRY_UNAVAILABLE ((quarry_status)5) /* the same call may succeed later */
#define QUARRY_RESOURCE_EXHAUSTED ((quarry_status)6)
#define QUARRY_CANCELLED ((quarry_status)7)
#define QUARRY_DEADLINE_EXCEEDED ((quarry_status)8)
#define QUARRY_UNSUPPORTED ((quarry_status)9)
#define QUARRY_INTERNAL ((quarry_status)10) /* a mistake of the callee itself */
/* What a source sent is damaged, or not what it promised: another digest, a wrong signature, a form
 * that cannot be read. It is shown, and never replaced by something older. */
#define QUARRY_DATA_LOSS ((quarry_status)11)

typedef struct quarry_failure {
  uint32_t struct_size;
  quarry_status status;
  quarry_text message; /* one sentence for a person: the failure and its cause */
  quarry_text hint;    /* the next step for the person; may be empty */
  quarry_text details; /* JSON object or empty:
                          {"tag": "ConfigError", "fields": [{"field": "/branch", "message": "…"}]},
                          field is a JSON pointer into the argument. tag, ^[A-Z][A-Za-z]{0,63}$,
                          names a class of failures to clients: use ConfigError with fields, and
                          none otherwise. */
} quarry_failure;

/* Receives a call's outcome. The callee uses exactly one of the functions, exactly once, before it
 * returns (unless the call is documented as asynchronous). A missing outcome counts as an internal
 * failure of the callee. */
typedef struct quarry_reply quarry_reply;
struct quarry_reply {
  uint32_t struct_size;
  void* context;
  void (*value)(const quarry_reply* self, quarry_text json);                /* [any] */
  void (*failure)(const quarry_reply* self, const quarry_failure* failure); /* [any] */
};

/* The call that a function serves: its cancellation, deadline, progress and rights. Lent for the
 * call. The host alone makes calls: its services refuse any other with QUARRY_INVALID_ARGUMENT. */
typedef struct quarry_call quarry_call;
struct quarry_call {
  uint32_t struct_size;
  void* context;
  /* QUARRY_OK while the result is still wanted; QUARRY_CANCELLED or QUARRY_DEADLINE_EXCEEDED
   * afterwards. Cheap: check it often. [any] */
  quarry_status (*state)(const quarry_call* self);
  /* Milliseconds until the deadline, never negative; INT64_MAX when there is none. [any] */
  int64_t (*remaining_ms)(const quarry_call* self);
  /* Reports progress: {"message": "receiving objects", "done": 10, "total": 90}; total may be left
   * out. [any] */
  void (*progress)(const quarry_call* self, quarry_text json);
};

/* The host as a plugin sees it. Valid from open until close has returned. */
typedef struct quarry_host quarry_host;
struct quarry_host {
  uint32_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;
  void* context;
  quarry_text version; /* the host's own version, for messages */
  /* The table of a service by id (QUARRY_LOG, …), valid until close has returned; NULL when this
   * host does not offer it or the manifest does not permit it. [any] */
  const void* (*service)(const quarry_host* self, const char* id);
  /* Opens a call for a job or a loop (`parent` NULL), or for a part of another call. It ends with
   * its parent, after `timeout_ms` milliseconds (INT64_MAX = no limit of its own; 0 or less = over
   * at once), or when `state` (NULL = none) returns a status other than QUARRY_OK: it is cancelled
   * by QUARRY_CANCELLED, and else its deadline has passed. `state` is called whenever the call is
   * checked, on the checking thread, and must be cheap. It has the rights of its parent; without
   * one, those of the plugin. A host may limit a call without a parent to the clock: other services
   * then fail with QUARRY_UNSUPPORTED. NULL when `parent` is no call of this host. [any] */
  const quarry_call* (*open_call)(const quarry_host* self, const quarry_call* parent,
                                  int64_t timeout_ms, quarry_status (*state)(void* state_context),
                                  void* state_context);
  /* Closes a call that open_call returned: before its parent's function returns, before close
   * returns, and after every function that it was passed to. NULL is ignored. [any] */
  void (*close_call)(const quarry_host* self, const quarry_call* call);
};

/* Flags of a component. The host ignores others. */
#define QUARRY_SERIAL 1u /* [worker] functions are called one at a time */

/* One thing a plugin offers: a kind, a name within that kind, and the kind's table. */
typedef struct quarry_component {
  uint32_t struct_size;
  uint32_t flags;
  const char* kind;  /* "quarry.resource/1" */
  const char* name;  /* "git"; ^[a-z][a-z0-9-]{0,63}$; for a type of resource no scheme of URLs:
                        not "http", "https", "file" or "ssh" */
  const void* table; /* const quarry_resource_v1* and so on */
  /* Creates an instance from its part of the configuration, a JSON object. Cheap; may use the
   * host's services. The value of the reply is ignored and may be empty; *instance is passed to the
   * table's functions and may be NULL. [control] */
  void (*create)(const quarry_host* host, const quarry_call* call, quarry_text configuration,
                 void** instance, const quarry_reply* reply);
  /* Destroys an instance. No function of the table is called with it afterwards. [control] */
  void (*destroy)(void* instance);
} quarry_component;

/* The one symbol a plugin exports, as data:
 *   const quarry_entry quarry_plugin_entry_v1 = { … }; */
typedef struct quarry_entry {
  uint32_t struct_size;
  uint32_t abi_major;          /* QUARRY_ABI_MAJOR at build time */
  uint32_t abi_minor;          /* QUARRY_ABI_MINOR at build time */
  uint32_t minimum_host_minor; /* the oldest host minor it supports */
  const char* id;              /* "org.example.hello", as in the manifest */
  const char* version;         /* "1.0.0", as in the manifest: ^[0-9A-Za-z][0-9A-Za-z.+-]{0,63}$ */
  /* Called once after loading, before any create; NULL = nothing to do. The value is ignored.
   * [control] */
  void (*open)(const quarry_host* host, const quarry_call* call, const quarry_reply* reply);
  /* Called once after the last destroy; NULL = nothing to do. [control] */
  void (*close)(void);
  uint32_t component_count;
  const quarry_component* const* components;
} quarry_entry;

#define QUARRY_ENTRY_SYMBOL "quarry_plugin_entry_v1"

#if defined(__GNUC__)
#define QUARRY_EXPORT __attribute__((visibility("default")))
#else
#define QUARRY_EXPORT
#endif

#ifdef __cplusplus
}
#endif

#endif
