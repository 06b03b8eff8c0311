/* quarry.store.draft/1: the state that hosts of one cloud interface share: projects, tokens,
 * resources, limits, audit.
 *
 * A store holds facts and no rules: the host decides what a token may do. Several hosts may use one
 * store at once; each function is one atomic transaction. A transaction that conflicted with
 * another one, or a connection that broke before the commit was sent, is retried within the store.
 * QUARRY_UNAVAILABLE when the database cannot be reached.
 *
 * Every function takes a JSON object and replies with one. Times are integers: milliseconds since
 * 1970-01-01 UTC by the host's clock. Money is text: US dollars with up to 9 decimals, at most
 * 1000000 ("0.25"); a larger sum is reported as that maximum. Names of projects and resources are
 * compared without regard to case.
 *
 * project: {"name", "created", "limits": {"usdPerDay"?: money}}
 * token: {"id", "projects": [name], the first its default, "rights": of "add", "ask", "list",
 * "metrics", "label", "created", "expires"?, "revoked"?, "limits": {"requestsPerMinute"?,
 * "streams"?, "usdPerDay"?: money}}
 */
#ifndef QUARRY_STORE_H
#define QUARRY_STORE_H

#include <quarry/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUARRY_STORE "quarry.store.draft/1"

/* All are [worker]. */
typedef void (*quarry_store_function)(void* instance, const quarry_call* call, quarry_text request,
                                      const quarry_reply* reply);

typedef struct quarry_store_v1 {
  uint32_t struct_size;

  /* Connects and migrates the schema; called before any other function. {}: {"schema": number}.
   * QUARRY_UNSUPPORTED, with a sentence that names both numbers, when the database is newer. */
  quarry_store_function open;

  /* {"name"}: {"key": 64 hexadecimal digits}, 256 random bits, the same for every host that asks
   * for this name; generated on first use. */
  quarry_store_function key;

  /* {"project"}: {"created": bool}; false when the name exists. */
  quarry_store_function create_project;
  /* {}: {"projects": [project]}, by name. */
  quarry_store_function projects;
  /* {"name", "at"}: {"removed": bool}; removes the project with its resources, and from its tokens.
   * Tokens left without a project are revoked. Usage and audit stay. */
  quarry_store_function remove_project;

  /* {"token", "hash": 64 hexadecimal digits}: {"created": bool}; false when one of its projects
   * does not exist; true, without effect, when a token has that hash already. A store never sees
   * the token itself, only its SHA-256. */
  quarry_store_function create_token;
  /* {"project"?}: {"tokens": [token]}, by age, including revoked and expired ones. */
  quarry_store_function tokens;
  /* {"hash"}: {"token": token, "projects": [project]}, or {} when there is none. */
  quarry_store_function find_token;
  /* {"id", "at"}: {"revoked": bool}; false when there is no such token. A token already revoked
   * keeps its time of revocation. */
  quarry_store_function revoke_token;

  /* {"project"}: {"resources": [resource]}, in the order they were added; {} when there is no such
   * project. */
  quarry_store_function resources;
  /* {"project", "resource": {"name", …}, "most": number}: {"added": bool, "existing"?: resource,
   * "count": of the project}. Not added when the name exists ("existing" is then the resource of
   * that name), when the project has `most` resources, or when there is no such project (then
   * without "count"). */
  quarry_store_function add_resource;
  /* {"project", "name"}: {"removed": bool}. */
  quarry_store_function remove_resource;

  /* Exchanges what this host did since its last call for what all hosts did. Called about four
   * times a second.
   * {"host": id, "at", "window": number of the current minute, "requests": [{"token", "window",
   * "count"}] since the last exchange, "streams": [{"token", "count"}] all open now}:
   * {"revision": number, "requests": [{"token", "window", "count"}] of all hosts in this window
   * and the one before, "streams": [{"token", "count"}] of the other hosts that exchanged within
   * five seconds, "endedSessions": [id]}.
   * The revision rises with every change of a project, a token, a resource or a secret. */
  quarry_store_function exchange;

  /* Reserves money before it is spent.
   * {"id": unique, "token", "project", "day": number of the UTC day, "usd", "tokenLimit"?,
   * "projectLimit"?, "at", "expires"}: {"reserved": true}, or {"reserved": false, "over": "token"
   * or "project", "spent": money of that day, reservations included, "aside"?: the part of it that
   * is neither settled nor expired, else unknown}. Refused when the day's spending and reservations
   * together with this one exceed a limit. A reservation neither settled nor expired counts in
   * full; one that expired unsettled counts as spent. Repeating a call with the same id reserves
   * nothing more. */
  quarry_store_function reserve;
  /* {"id", "usd"}: {"settled": bool}; records the amount spent of a reservation. A second call is
   * ignored. */
  quarry_store_function settle;

  /* {"id", "expires"}: {}; ends the session for every host; its id is stored until `expires`. */
  quarry_store_function end_session;

  /* {"entries": [{"at", "host", "request", "token", "project", "method", "tool", "status", "ms",
   * "inputTokens"?, "outputTokens"?, "usd"?, "cancelled", "question"?, "peer"?, "count"?}]}: {}.
   * Omitted members stay unknown. With "once": true, which only a store with `load` is told, an
   * entry that is there already, with the same members, is not added again. */
  quarry_store_function record;
  /* {"since", "until"?, "project"?, "most"}: {"entries": [as recorded]}, newest first. */
  quarry_store_function audit;
  /* {"before"}: {"forgotten": number}; deletes older audit entries, counts, ended sessions and
   * settled reservations of earlier days. */
  quarry_store_function forget;

  /* {"known"?: state, "most": number}: {"state": number, "hashes"?: [64 hexadecimal digits]}, of
   * all tokens that are not revoked, in any order. The state rises whenever a token is created or
   * revoked; the hashes are left out when it equals `known`, and when there are more than `most`.
   * With them, a host rejects guessed tokens without asking the store. May be NULL or missing; then
   * the host asks the store about each token it has not seen, at a limited rate. */
  quarry_store_function token_hashes;

  /* The next three are optional (NULL, or beyond struct_size): a store without them keeps no
   * project secrets. "sealed" is encrypted text that only the hosts can read.
   * {"secret": {"id", "project", "resource", "member", "source", "sealed", "created"}}: {"kept":
   * bool}; replaces the secret of the same project, resource and member. False when there is no
   * such project. A project is removed with its secrets. */
  quarry_store_function set_secret;
  /* {"project"}: {"secrets": [secret]}, by resource and member. */
  quarry_store_function secrets;
  /* {"project", "resource", "member"}: {"removed": bool}. */
  quarry_store_function remove_secret;

  /* The next three are optional, all of them or none: without them, the store is not part of the
   * host's backups.
   * {}: {"schema": number, 0 when the database has none, "newest": number that `open` migrates to};
   * changes nothing, and creates no database. */
  quarry_store_function schema;
  /* {}: everything but audit and activity, at one moment: {"projects": [project], "tokens":
   * [{"token", "hash"}], by age, "resources": [{"project", "resource"}], those of a project in the
   * order they were added, "secrets": [secret], "keys": [{"name", "key"}], "reservations": [{"id",
   * "token", "project", "day", "usd", "expires", "settled"?: money}], "endedSessions": [{"id",
   * "expires"}]}. */
  quarry_store_function dump;
  /* What `dump` told, of this or another store: {}; replaces all of it, also for hosts that use the
   * store at the time. QUARRY_UNSUPPORTED, without a change, for a member that it does not know. */
  quarry_store_function load;
} quarry_store_v1;

#ifdef __cplusplus
}
#endif

#endif
