/* quarry.symbols.draft/1: an analyser that finds the definitions and references in source files of
 * one language.
 *
 * The host decides by the names of files which analyser reads them, and loads the plugin when it
 * meets the first one: the component's schema in the manifest has the member "files", globs such as
 * ["*.c", "*.h", "Makefile"], and may have "firstLines", regular expressions (RE2) of the first
 * line of files without an extension, such as ["^#!.*\\bpython"]. Where several analysers have the
 * same glob, the host uses the first by name. What an analyser found is kept until the plugin's
 * file changes.
 *
 * Lines are numbered from 1 and separated by "\n". Kinds of definitions are lower-case words; the
 * host shows any, and these are understood by its tools: "class", "constant", "constructor",
 * "declaration" (of a function or variable that is defined elsewhere), "enum", "enumerator",
 * "field", "function", "heading", "interface", "macro", "method", "module", "namespace",
 * "property", "struct", "trait", "type", "union", "variable".
 */
#ifndef QUARRY_SYMBOLS_H
#define QUARRY_SYMBOLS_H

#include <quarry/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUARRY_SYMBOLS "quarry.symbols.draft/1"

typedef struct quarry_symbols_v1 {
  uint32_t struct_size;

  /* {"title": "C++", "schema": {…as in the manifest…}} [any] */
  void (*describe)(void* instance, const quarry_call* call, const quarry_reply* reply);

  /* The definitions of a file, in order of their names' places:
   *   {"definitions": [["method", "parse", 12, 10, 31, 0], …]}
   * kind; name as written, without its scope, at most 1,024 bytes; the line of the name; the first
   * line of the definition, with the comment or annotations that belong to it, and its last line;
   * the number, from 0, of the definition that encloses it or of the type to which it belongs, or
   * -1; it may be a later one, as the name of "typedef struct {…} name;" stands after the members.
   * A file that is not of the language as a whole is read as far as it is; a failure is for a file
   * that cannot be read at all. The same text always has the same definitions. [worker] */
  void (*definitions)(void* instance, const quarry_call* call, quarry_bytes path, quarry_text text,
                      const quarry_reply* reply);

  /* The lines on which `name` stands as a name of the language other than in its definitions, so
   * neither in comments nor in texts: {"lines": [12, 40]}, ascending, each once. [worker] */
  void (*references)(void* instance, const quarry_call* call, quarry_bytes path, quarry_text text,
                     quarry_text name, const quarry_reply* reply);
} quarry_symbols_v1;

#ifdef __cplusplus
}
#endif

#endif
