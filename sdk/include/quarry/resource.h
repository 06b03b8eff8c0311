/* quarry.resource/1: a type of resource: what its fields are, which state a source is in, and how
 * its files come here.
 *
 * Order of calls for one resource: normalise once when it is configured; then, whenever its state
 * may have changed, resolve; then fetch unless the host already holds that version. The host stores
 * the files as an immutable snapshot keyed by type, normalised resource, version id and by whether
 * it was read for the owner of the host or for callers with tokens.
 *
 * Members that the host itself puts into the configuration of an instance, whatever the table says:
 * - "local_roots": [folder], where there is one: folders are read beneath these alone.
 * - "acts_for": "project" in an instance for callers with tokens, which runs beside the owner's.
 *   It uses none of the owner's credentials (files and variables of his account, helpers, agents,
 *   keys), only the secrets that a call's resource names; keeps nothing where the owner's instance
 *   would find it or the other way round, and nothing that was had with one secret where another
 *   would; and its failures tell nothing of this machine, not even whether a file is there.
 * An instance that takes no notice still gets no secret but those of the call. */
#ifndef QUARRY_RESOURCE_H
#define QUARRY_RESOURCE_H

#include <quarry/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUARRY_RESOURCE "quarry.resource/1"

/* Takes the files of one version. Paths are relative with '/' between, any bytes but NUL, no "..";
 * the order does not matter. Each function returns QUARRY_OK, or why the fetch cannot go on (bad
 * path, a limit reached, call over): return then, the host words the failure. */
typedef struct quarry_tree quarry_tree;
struct quarry_tree {
  uint32_t struct_size;
  void* context;
  /* Adds one regular file. [worker] */
  quarry_status (*add_file)(const quarry_tree* self, quarry_text path, quarry_text bytes);
  /* Adds every regular file beneath an absolute directory, without following links. [worker] */
  quarry_status (*add_directory)(const quarry_tree* self, quarry_text directory);
  /* Instead of adding files: read this absolute directory where it is, and notice its changes. The
   * version's id is then the host's business. [worker] */
  quarry_status (*use_in_place)(const quarry_tree* self, quarry_text directory);
  /* An empty directory for this fetch alone, removed after it. [worker] */
  quarry_text (*scratch)(const quarry_tree* self);
  /* Files with more bytes than this are listed, but their text is not kept. */
  uint64_t file_limit;
  /* Lists a file of `size` bytes, more than file_limit, without handing over its bytes. [worker] */
  quarry_status (*add_large)(const quarry_tree* self, quarry_text path, uint64_t size);
  /* Lists a symbolic link, which nobody follows. [worker] */
  quarry_status (*add_link)(const quarry_tree* self, quarry_text path);
};

typedef struct quarry_resource_v1 {
  uint32_t struct_size;

  /* {"type": "git", "title": "Git repository", "schema": {…JSON Schema of the fields…},
   *  "examples": ["https://…"], "inPlace"?}. The schema is of an object and names every field but
   * those that every resource has (`type`, `name`, `refresh`, `refreshInBackground`); the
   * configuration and the wire are checked against it. A field with "writeOnly": true is the name
   * of a secret: set by the owner alone, in the configuration or for a project ("quarry projects
   * secret set"), never taken from the wire nor shown on it. Send its value to the resource's own
   * source and nowhere else: projects rely on that. A
   * "default" is shown where a field is not set. Examples are references that parse_reference
   * knows. With inPlace true, fetch always ends in use_in_place. [any] */
  void (*describe)(void* instance, const quarry_reply* reply);

  /* Checks what a schema cannot say, and answers the canonical resource: the same source is always
   * the same text. Failure: QUARRY_INVALID_ARGUMENT with fields. Touches no network. [worker] */
  void (*normalise)(void* instance, const quarry_call* call, quarry_text resource,
                    const quarry_reply* reply);

  /* The version the source is at: {"id": "<commit, exact version, …>", "immutable": true,
   * "display": "main at 1a2b3c4"}. An immutable version of that id is never fetched twice.
   * Optional: "integrity": what the files must hash to, a part of the version; "resource":
   * {"branch": "trunk"}, members that were left out and are known now, to be shown.
   *
   * QUARRY_UNAVAILABLE and QUARRY_DEADLINE_EXCEEDED let the last snapshot answer in its place;
   * every other failure is shown, since it says that the source is not what it was. [worker] */
  void (*resolve)(void* instance, const quarry_call* call, quarry_text resource,
                  const quarry_reply* reply);

  /* Hands every file of `version` (the value of resolve) to `tree`. The value is metadata:
   * {"permalink": "https://…/{version}/{path}#L{start}-L{end}", "notes": ["…"]}, every member
   * optional. Notes are sentences about what the files do not show (a part that was left out, a
   * version that is deprecated): at most 20 of 300 bytes; the rest is dropped. "generated": paths
   * of files that the plugin made itself, so that no permalink leads to them. May be repeated;
   * leaves nothing behind when it fails. [worker] */
  void (*fetch)(void* instance, const quarry_call* call, quarry_text resource, quarry_text version,
                const quarry_tree* tree, const quarry_reply* reply);

  /* Optional (NULL): reads a reference such as "npm:react@18" as a resource of this type; null when
   * it is not one of this type. `name` may say how it would like to be called; without it the name
   * is the last part of the reference. The host makes it valid and unique. [any] */
  void (*parse_reference)(void* instance, quarry_text reference, const quarry_reply* reply);
} quarry_resource_v1;

#ifdef __cplusplus
}
#endif

#endif
