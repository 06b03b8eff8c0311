/* quarry.resource/1: a type of resource: its fields, the current version of a source, and the
 * transfer of its files.
 *
 * Order of calls for one resource: normalise whenever it is used; what normalise refuses is never
 * resolved. Then resolve whenever its source may have changed; then fetch, unless the version is
 * immutable and the host holds a snapshot of that id and integrity. The host stores the files as an
 * immutable snapshot keyed by type, canonical resource (but for its `name` and `specialNotes`),
 * version id, integrity and reader: the owner of the host, or callers with tokens.
 *
 * Members that the host itself adds to the configuration of an instance, in addition to the
 * table's; more may follow, but none that the schema of the table has:
 * - "local_roots": [folder], if configured: folders are read only beneath these. With "acts_for" it
 *   is always there; empty = no folder.
 * - "acts_for": "project" in an instance for callers with tokens, which runs beside the owner's.
 *   It uses none of the owner's credentials (files and variables of the account, helpers, agents,
 *   keys), only the secrets that a call's resource names. It shares no stored data with the owner's
 *   instance, nor between accesses with different secrets. Its failures reveal nothing about this
 *   machine, not even that a file exists.
 * An instance that ignores this member still gets no secret but those of the call. */
#ifndef QUARRY_RESOURCE_H
#define QUARRY_RESOURCE_H

#include <quarry/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUARRY_RESOURCE "quarry.resource/1"

/* A file with facts about itself. */
typedef struct quarry_file {
  uint32_t struct_size;
  uint32_t reserved; /* 0, or the file is refused */
  quarry_bytes path;
  /* An http or https URL of this file that stays valid, instead of the one that fetch's template
   * makes; it may contain {start} and {end}. Empty = by the template. At most 2048 bytes. */
  quarry_text permalink;
  quarry_text title;      /* for a person; empty = none. At most 300 bytes. */
  quarry_text media_type; /* "text/html"; empty = unknown. At most 100 bytes. */
} quarry_file;

/* Receives the files of one version. Paths are relative with '/' as separator, any bytes but NUL,
 * no "..", each once; the order does not matter. Files with a longer path or more levels than
 * QUARRY_LIMIT_PATH and QUARRY_LIMIT_LEVELS are left out, whatever their length, which the host
 * notes. The host also leaves out files by rules of its own (folders of version control,
 * dependencies and build output, secrets), which may change; the function still returns QUARRY_OK.
 * Each function returns QUARRY_OK, or the reason that the fetch cannot continue (bad path, a limit
 * reached, call over): return then; the host writes the failure's message. A path that was added
 * twice may be found only after fetch has returned. Several threads may call at once: the fetch's
 * own, and jobs that it waits for. */
typedef struct quarry_tree quarry_tree;
struct quarry_tree {
  uint32_t struct_size;
  void* context;
  /* Adds one regular file. [worker] */
  quarry_status (*add_file)(const quarry_tree* self, quarry_bytes path, quarry_bytes bytes);
  /* Adds every regular file beneath an absolute directory, without following links. The host has
   * read them when it returns. [worker] */
  quarry_status (*add_directory)(const quarry_tree* self, quarry_bytes directory);
  /* Instead of adding files: makes the host read this absolute directory in place and watch it for
   * changes. The host then determines the version's id. [worker] */
  quarry_status (*use_in_place)(const quarry_tree* self, quarry_bytes directory);
  /* An empty directory for this fetch alone, removed after it. The empty path when the fetch has
   * failed: return then. [worker] */
  quarry_bytes (*scratch)(const quarry_tree* self);
  /* Files with more bytes than this are listed, but their text is not stored. */
  uint64_t file_limit;
  /* Lists a file of `size` bytes without its bytes, for files larger than file_limit. [worker] */
  quarry_status (*add_large)(const quarry_tree* self, quarry_bytes path, uint64_t size);
  /* Lists a symbolic link, which is never followed. [worker] */
  quarry_status (*add_link)(const quarry_tree* self, quarry_bytes path);
  /* Adds one regular file with facts about itself. [worker] */
  quarry_status (*add_described)(const quarry_tree* self, const quarry_file* file,
                                 quarry_bytes bytes);
  /* Adds the file that the last snapshot has at `path`, unchanged, with its facts. QUARRY_NOT_FOUND
   * when it has none, or not its text: the fetch continues, add the file then. [worker] */
  quarry_status (*keep_file)(const quarry_tree* self, quarry_bytes path);
};

typedef struct quarry_resource_v1 {
  uint32_t struct_size;

  /* {"type": "git", "title": "Git repository", "schema": {…JSON Schema of the fields…},
   *  "examples": ["https://…"], "inPlace"?}.
   * The schema describes an object and names every field but those that every resource has
   * (`type`, `name`, `refresh`, `refreshInBackground`), which it must not name; members that every
   * resource gets later never hide a field of a schema. Reserved are also `principal`, which names
   * the caller of a request, and names that begin with '_', for arguments of hosts: a schema
   * with one is refused. Every other name is the schema's, on every wire, also `notes` and
   * `project`, which tools of hosts take for types without such a field. Configurations and
   * requests are checked against it. `specialNotes`, a text that tells models how to use the
   * resource, is read by the host where a schema has it. A field with "writeOnly": true is a
   * secret: set only by the owner, in the configuration or for a project ("quarry projects secret
   * set"), never accepted in a request nor shown in a response. In every resource that a plugin
   * receives, the member's value is the name to pass to quarry_secrets_v1.get or as
   * quarry_header.secret; it is missing when the secret is not set. Send what it stands for to the
   * resource's own source and nowhere else: projects rely on that. A "default" is shown where a
   * field is not set. Examples are references that parse_reference accepts. With inPlace true,
   * fetch always ends in use_in_place. [any] */
  void (*describe)(void* instance, const quarry_call* call, const quarry_reply* reply);

  /* Checks rules that a schema cannot express, and replies with the canonical resource: equal text
   * for the same source. `resource` has `type`, `name` and the members of the schema that are set;
   * resolve and fetch receive the value, in which the host sets `type` and `name`, and
   * `specialNotes` when it lacks them. The value is also what is listed, and what "add" writes to
   * the configuration: keep every member that is not another spelling of the same, secrets
   * included, and add none from the instance's configuration, which may change later (let the
   * version's id depend on it instead). In a field that permits a host or a secret ("field:" in the
   * manifest), it names only those that `resource` or the manifest names. Failure:
   * QUARRY_INVALID_ARGUMENT with fields. Does not use the network. [worker] */
  void (*normalise)(void* instance, const quarry_call* call, quarry_text resource,
                    const quarry_reply* reply);

  /* The current version of the source: {"id": "<commit, exact version, …>", "immutable": true,
   * "display": "main at 1a2b3c4"}. An immutable version is not fetched while the host holds its
   * snapshot. Optional: "integrity": the expected hash of the files, a part of the version;
   * "resource":
   * {"branch": "trunk"}, members that the configuration left out and that are now known, for
   * display. Other members are the plugin's own; those that later minors define begin with '$'. The
   * text, at most 64 KiB, is passed to fetch
   * unchanged.
   *
   * `last` tells what the last snapshot of the source was made of, so that an unchanged source
   * costs one conditional request (and a fetch, unless the version is immutable): {"version": the
   * newest value of resolve for its version, "state": that of its fetch, if any}; empty when there
   * is none. Return last.version when nothing has changed. A value with the id of the last snapshot
   * and other members, such as a new ETag, is last.version from then on, without a fetch. After a
   * fetch from a lock file, last.version is what the lock file has.
   *
   * After QUARRY_UNAVAILABLE, QUARRY_DEADLINE_EXCEEDED and QUARRY_RESOURCE_EXHAUSTED (of this
   * machine: a full disk) the host falls back to the last snapshot. Every other failure is shown,
   * because it means that the source itself has changed. An attack must not hide behind an older
   * snapshot: what fails a digest or signature is QUARRY_DATA_LOSS, and so is a source that sends
   * without end. [worker] */
  void (*resolve)(void* instance, const quarry_call* call, quarry_text resource, quarry_text last,
                  const quarry_reply* reply);

  /* Adds every file of `version` to `tree`: the value of resolve, unchanged, or
   * {"id", "immutable", "display", "integrity"?} from a lock file. `last` is as in resolve. The
   * value is metadata:
   * {"permalink": "https://…/{version}/{path}#L{start}-L{end}", "notes": ["…"]}, every member
   * optional; {version}, the id, and {path} are percent-encoded except for '/'. Notes are sentences
   * about facts that the files do not show (an omitted part, a deprecated version): at most 20 of
   * 300 bytes; the rest is dropped. "generated": paths of files that the plugin wrote itself, which
   * get no permalink by the template. "state": a value of the plugin's own, at most 64 KiB of JSON
   * text, for the next resolve and fetch (the ETag of every page). May be repeated; leaves nothing
   * behind when it fails. [worker] */
  void (*fetch)(void* instance, const quarry_call* call, quarry_text resource, quarry_text version,
                quarry_text last, const quarry_tree* tree, const quarry_reply* reply);

  /* Optional (NULL): reads a reference such as "npm:react@18" as a resource of this type; null when
   * it is not one of this type. Otherwise {"resource": {…}, "confidence": 90}. The type with the
   * highest confidence (1 to 100, without it 50) gets the reference; of equal ones the first by
   * name. 100: written for this type alone ("npm:…"); 50: one of many readings (any https URL).
   * A type whose name and a colon begin the reference is asked alone, with the whole text and then
   * with the rest. In a field that permits a host, `resource` names only those that the reference
   * or the manifest names. `resource.name` may suggest a name; without it the name is the last part
   * of the reference. The host makes it valid and unique. [any] */
  void (*parse_reference)(void* instance, const quarry_call* call, quarry_text reference,
                          const quarry_reply* reply);
} quarry_resource_v1;

#ifdef __cplusplus
}
#endif

#endif
