/* Sizes and numbers that every host accepts. A later host may accept more, never less. What is
 * beyond a limit is refused with QUARRY_RESOURCE_EXHAUSTED or QUARRY_INTERNAL, unless a comment
 * says that it is dropped. Sizes are in bytes; shapes and lengths of JSON members are in the
 * schemas that come with the SDK. */
#ifndef QUARRY_LIMITS_H
#define QUARRY_LIMITS_H

/* replies */
#define QUARRY_LIMIT_VALUE (16u << 20)    /* the value of a reply */
#define QUARRY_LIMIT_SENTENCE 4096u       /* a message or hint; the rest is dropped */
#define QUARRY_LIMIT_DETAILS (256u << 10) /* details of a failure; larger ones are dropped */
#define QUARRY_LIMIT_FIELDS 100u          /* fields of a failure; the rest is dropped */
#define QUARRY_LIMIT_PROGRESS 4096u       /* one progress of a call; larger ones are dropped */
#define QUARRY_LIMIT_JSON_LEVELS 64u      /* levels of arrays and objects in a JSON value */

/* quarry.resource/1 */
#define QUARRY_LIMIT_PATH 1024u             /* path of a file; files with longer ones are dropped */
#define QUARRY_LIMIT_LEVELS 64u             /* parts of a path; files with more are dropped */
#define QUARRY_LIMIT_FILES 1000000u         /* files of a version */
#define QUARRY_LIMIT_TEXT (4ull << 30)      /* text of all files of a version */
#define QUARRY_LIMIT_VERSION (64u << 10)    /* the value of resolve */
#define QUARRY_LIMIT_STATE (64u << 10)      /* the state in the value of fetch */
#define QUARRY_LIMIT_NOTES 20u              /* notes of a fetch; the rest is dropped */
#define QUARRY_LIMIT_NOTE 300u              /* one note; the rest is dropped */
#define QUARRY_LIMIT_PERMALINK 2048u        /* permalink of a file */
#define QUARRY_LIMIT_TITLE 300u             /* title of a file */
#define QUARRY_LIMIT_MEDIA_TYPE 100u        /* media type of a file */
#define QUARRY_LIMIT_FILE_FACTS (16u << 20) /* paths and facts of all described files together */

/* quarry.model/1 */
#define QUARRY_LIMIT_REQUEST_HEADERS 100u        /* headers of an exchange's request */
#define QUARRY_LIMIT_TOOL_CALLS 128u             /* tool calls of one step */
#define QUARRY_LIMIT_TOOL_ARGUMENTS (256u << 10) /* arguments of one tool call */
#define QUARRY_LIMIT_KEPT (1u << 20)             /* one value to keep */
#define QUARRY_LIMIT_MODEL_MESSAGE (16u << 10)   /* message of a model error; the rest is dropped */

/* services */
#define QUARRY_LIMIT_REQUESTS 1000u             /* requests of one send_all */
#define QUARRY_LIMIT_REQUEST_BODY (16u << 20)   /* body of a request of the http service */
#define QUARRY_LIMIT_RESPONSE_BODY (1ull << 30) /* body of a response */
#define QUARRY_LIMIT_PROCESS_INPUT (16u << 20)  /* standard input of a program */
#define QUARRY_LIMIT_ARGUMENTS 10000u           /* arguments, and variables, of a program */
#define QUARRY_LIMIT_REDIRECTS 20u /* redirects that a request may ask for; more are this many */
#define QUARRY_LIMIT_RESPONSE_HEADERS 256u /* headers of a response */

#endif
