/* quarry.store/1: what hosts of one cloud surface share: projects, tokens, resources, limits,
 * audit.
 *
 * A store holds facts and no rule: the host decides what a token may do. Several hosts may use one
 * store at once; each function is one transaction, all of it or nothing. A transaction that lost
 * against another one, or a connection that broke before it was told to commit, is tried again
 * within the store. QUARRY_UNAVAILABLE when the database cannot be reached.
 *
 * Every function takes a JSON object and answers one. Times are integers: milliseconds since
 * 1970-01-01 UTC, of the host's clock. Money is text: US dollars with up to 9 decimals, at
 * most 1000000 ("0.25"); a sum beyond is told as that.
 * Names of projects and resources differ when they differ in more than case.
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

#define QUARRY_STORE "quarry.store/1"

/* All are [worker]. */
typedef void (*quarry_store_function)(void* instance, const quarry_call* call, quarry_text request,
                                      const quarry_reply* reply);

typedef struct quarry_store_v1 {
  uint32_t struct_size;

  /* Connects and brings the schema up to date; before any other function. {}: {"schema": number}.
   * QUARRY_UNSUPPORTED, with a sentence that names both numbers, when the database is newer. */
  quarry_store_function open;

  /* {"name"}: {"key": 64 hexadecimal digits}, 256 random bits that every host gets for this name;
   * made when first asked for. */
  quarry_store_function key;

  /* {"project"}: {"created": bool}; false when the name is there already. */
  quarry_store_function create_project;
  /* {}: {"projects": [project]}, by name. */
  quarry_store_function projects;
  /* {"name", "at"}: {"removed": bool}; with its resources, and from its tokens. Tokens that are
   * left without a project are revoked. Usage and audit stay. */
  quarry_store_function remove_project;

  /* {"token", "hash": 64 hexadecimal digits}: {"created": bool}; false when one of its projects is
   * not there; true, and nothing is done, when a token has that hash already. The token itself is
   * never told to a store, only its SHA-256. */
  quarry_store_function create_token;
  /* {"project"?}: {"tokens": [token]}, by age, the revoked and the expired too. */
  quarry_store_function tokens;
  /* {"hash"}: {"token": token, "projects": [project]}, or {} when there is none. */
  quarry_store_function find_token;
  /* {"id", "at"}: {"revoked": bool}; false when there is no such token. A token that was revoked
   * before keeps its time. */
  quarry_store_function revoke_token;

  /* {"project"}: {"resources": [resource]}, in the order they were added; {} when there is no such
   * project. */
  quarry_store_function resources;
  /* {"project", "resource": {"name", …}, "most": number}: {"added": bool, "existing"?: resource,
   * "count": of the project}. Not added when the name is there (then "existing" is the one that
   * has it), when the project has `most`, or when there is no such project (then without
   * "count"). */
  quarry_store_function add_resource;
  /* {"project", "name"}: {"removed": bool}. */
  quarry_store_function remove_resource;

  /* What a host did since its last exchange, and what all hosts did. Called about four times a
   * second.
   * {"host": id, "at", "window": number of the minute that runs, "requests": [{"token", "window",
   * "count"}] since the last exchange, "streams": [{"token", "count"}] all that run now}:
   * {"revision": number, "requests": [{"token", "window", "count"}] of all hosts in this window
   * and the one before, "streams": [{"token", "count"}] of the other hosts that exchanged within
   * five seconds, "endedSessions": [id]}.
   * The revision rises with every change of a project, a token, a resource or a secret. */
  quarry_store_function exchange;

  /* Puts money aside before it is spent.
   * {"id": unique, "token", "project", "day": number of the UTC day, "usd", "tokenLimit"?,
   * "projectLimit"?, "at", "expires"}: {"reserved": true}, or {"reserved": false, "over": "token"
   * or "project", "spent": money of that day, what is put aside included, "aside"?: how much of
   * that is neither settled nor expired, else unknown}. Refused when what was spent and put aside
   * on that day, and this, is more than a limit. What is neither settled nor expired counts in
   * full; what expired without being settled counts as spent. A second time, by its id, it is put
   * aside already. */
  quarry_store_function reserve;
  /* {"id", "usd"}: {"settled": bool}; what was spent of it in the end. A second time is ignored. */
  quarry_store_function settle;

  /* {"id", "expires"}: {}; the session is over for every host, and remembered until then. */
  quarry_store_function end_session;

  /* {"entries": [{"at", "host", "request", "token", "project", "method", "tool", "status", "ms",
   * "inputTokens"?, "outputTokens"?, "usd"?, "cancelled", "question"?, "peer"?, "count"?}]}: {}.
   * Members that are left out stay unknown. */
  quarry_store_function record;
  /* {"since", "until"?, "project"?, "most"}: {"entries": [as recorded]}, the newest first. */
  quarry_store_function audit;
  /* {"before"}: {"forgotten": number}; drops older audit entries, counts, ended sessions and
   * settled money of days before that one. */
  quarry_store_function forget;

  /* {"known"?: state, "most": number}: {"state": number, "hashes"?: [64 hexadecimal digits]}, of
   * all tokens that are not revoked, in any order. The state rises whenever a token is made or
   * revoked; the hashes are left out when it is `known`, and when there are more than `most`. With
   * them, a host refuses who guesses tokens without asking the store. May be NULL or missing; then
   * each token that a host has not seen is asked for, and only so many a second. */
  quarry_store_function token_hashes;

  /* The next three are optional (NULL, or beyond struct_size): a store without them keeps no
   * secrets of projects. "sealed" is a text that only the hosts can read.
   * {"secret": {"id", "project", "resource", "member", "source", "sealed", "created"}}: {"kept":
   * bool}; takes the place of the one for the same project, resource and member. False when there
   * is no such project. A project is removed with its secrets. */
  quarry_store_function set_secret;
  /* {"project"}: {"secrets": [secret]}, by resource and member. */
  quarry_store_function secrets;
  /* {"project", "resource", "member"}: {"removed": bool}. */
  quarry_store_function remove_secret;
} quarry_store_v1;

#ifdef __cplusplus
}
#endif

#endif
