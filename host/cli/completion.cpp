#include "cli/completion.h"

#include "base/text.h"
#include "cli/verb.h"

#include <algorithm>

namespace quarry::cli {
namespace {

/// Long names of the options, that of the help first.
std::vector<std::string> option_words(const Verb& verb) {
  std::vector<std::string> out{"--help"};
  for (const Option& option : verb.options) {
    if (option.rules.hidden) continue;
    for (std::string& name : long_names(option)) out.push_back(std::move(name));
  }
  return out;
}

std::vector<std::string> words_after(const std::vector<Verb>& verbs, const std::string& prefix) {
  std::vector<std::string> out;
  for (const Verb& verb : verbs) {
    if (!verb.name.starts_with(prefix)) continue;
    const std::string rest = verb.name.substr(prefix.size());
    if (!rest.empty() && rest.find(' ') == std::string::npos) out.push_back(rest);
  }
  return out;
}

/// `case` arms that map "verb [sub]" to possible next words.
std::string bash_arms(const std::vector<Verb>& verbs) {
  std::string out;
  for (const Verb& verb : verbs) {
    std::vector<std::string> words = words_after(verbs, verb.name + " ");
    for (std::string& word : option_words(verb)) words.push_back(std::move(word));
    out += "    \"" + verb.name + "\") words=\"" + join(words, " ") + "\" ;;\n";
  }
  return out;
}

/// A pattern of the verbs with several words.
std::string nested_verbs(const std::vector<Verb>& verbs) {
  std::vector<std::string> out;
  for (const Verb& verb : verbs) {
    if (verb.name.find(' ') != verb.name.npos) out.push_back('"' + verb.name + '"');
  }
  return join(out, "|");
}

std::string bash_script(const std::vector<Verb>& verbs) {
  return "_quarry() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} words i\n"
         "  for ((i = 2; i < COMP_CWORD; i++)); do\n"
         "    case \"$verb ${COMP_WORDS[i]}\" in " +
         nested_verbs(verbs) +
         ") verb+=\" ${COMP_WORDS[i]}\" ;; *) break ;; esac\n"
         "  done\n"
         "  if ((COMP_CWORD == 1)); then verb=; fi\n"
         "  case $verb in\n"
         "    \"\") words=\"" +
         join(words_after(verbs, ""), " ") + "\" ;;\n" + bash_arms(verbs) +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  [[ ${#COMPREPLY[@]} -eq 0 ]] || return\n"
         "  compopt -o filenames\n"  // not for a verb, which may be the name of a folder
         "  COMPREPLY=($(compgen -f -- \"$current\"))\n"
         "}\n"
         "complete -F _quarry quarry\n";
}

/// A text as a word of fish, whose quotes know two escapes.
std::string fish_word(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_script(const std::vector<Verb>& verbs) {
  std::string out;
  for (const Verb& verb : verbs) {
    const auto words = split(verb.name, ' ');
    const std::string word(words.back());
    const std::string when =
        words.size() == 1 ? "__fish_use_subcommand"
                          : "__fish_seen_subcommand_from " + std::string(words[words.size() - 2]);
    out +=
        "complete -c quarry -n '" + when + "' -a " + word + " -d " + fish_word(verb.summary) + "\n";
    for (const std::string& option : option_words(verb)) {
      out += "complete -c quarry -n '__fish_seen_subcommand_from " + word + "' -l " +
             option.substr(2) + "\n";
    }
  }
  return out;
}

}  // namespace

std::string completion_script(const std::string& shell, const std::vector<OfferedType>& types) {
  CommonOptions common;
  const std::vector<Verb> verbs = all_verbs(common, types);
  if (shell == "fish") return fish_script(verbs);
  if (shell == "zsh") return "autoload -U +X bashcompinit && bashcompinit\n" + bash_script(verbs);
  return bash_script(verbs);
}

}  // namespace quarry::cli
