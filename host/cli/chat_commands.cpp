#include "cli/chat_commands.h"

#include "base/text.h"
#include "engine/requests.h"

#include <algorithm>
#include <array>

namespace quarry::cli {
namespace {

constexpr std::array kCommands = std::to_array<ChatCommandRow>({
    {"/resources", "", "List the resources; a star marks those that are asked",
     ChatCommand::kResources},
    {"/use", "NAME…", "Ask these resources from now on; without a name, all", ChatCommand::kUse},
    {"/add", "REFERENCE", "Add a folder, a URL or another reference as a resource",
     ChatCommand::kAdd},
    {"/model", "PROVIDER/MODEL", "Choose the model; without one, show them", ChatCommand::kModel},
    {"/threads", "", "List the latest conversations", ChatCommand::kThreads},
    {"/continue", "ID", "Continue a conversation; without an ID, the latest",
     ChatCommand::kContinue},
    {"/retry", "", "Ask the last question again", ChatCommand::kRetry},
    {"/editor", "", "Write a question in $VISUAL or $EDITOR", ChatCommand::kEditor},
    {"/copy", "", "Copy the last answer to the clipboard, if the terminal permits it",
     ChatCommand::kCopy},
    {"/cost", "", "Show what this conversation has used", ChatCommand::kCost},
    {"/save", "FILE", "Write this conversation to a new file as Markdown", ChatCommand::kSave},
    {"/new", "", "Begin another conversation", ChatCommand::kNew},
    {"/help", "", "Show this list", ChatCommand::kHelp},
    {"/quit", "", "End; so does Ctrl-D", ChatCommand::kQuit},
});

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

std::string_view without_at(std::string_view name) {
  return name.starts_with('@') ? name.substr(1) : name;
}

bool begins_ignoring_case(std::string_view text, std::string_view prefix) {
  return std::ranges::equal(text.substr(0, prefix.size()), prefix, {}, lower, lower);
}

}  // namespace

std::span<const ChatCommandRow> chat_commands() {
  return kCommands;
}

ChatLine parse_chat_line(std::string_view line) {
  line = trim(line);
  if (!line.starts_with('/')) return {ChatCommand::kQuestion, std::string(line)};
  const std::size_t end = std::min(line.find(' '), line.size());
  const auto found = std::ranges::find(kCommands, line.substr(0, end), &ChatCommandRow::name);
  if (found == kCommands.end()) return {ChatCommand::kUnknown, std::string(line.substr(0, end))};
  return {found->command, std::string(trim(line.substr(end)))};
}

std::vector<std::string> mentioned_resources(std::string_view question,
                                             const std::vector<std::string>& resources) {
  constexpr std::string_view kEnds = " \t\n,;:?!()\"'";
  std::vector<std::string> found;
  for (std::size_t at = 0; (at = question.find('@', at)) != question.npos; ++at) {
    if (at > 0 && kEnds.find(question[at - 1]) == kEnds.npos) continue;
    std::string_view name = question.substr(at + 1);
    name = name.substr(0, name.find_first_of(kEnds));
    while (name.ends_with('.')) name.remove_suffix(1);
    const auto named = std::ranges::find_if(
        resources, [&](const std::string& one) { return engine::same_name(name, one); });
    const bool is_new = named != resources.end() && std::ranges::find(found, *named) == found.end();
    if (is_new) found.push_back(*named);
  }
  return found;
}

std::vector<std::string> chat_completions(std::string_view line, std::string_view word,
                                          const std::vector<std::string>& resources) {
  std::vector<std::string> out;
  if (word.size() == line.size() && word.starts_with('/')) {
    for (const ChatCommandRow& row : kCommands) {
      if (row.name.starts_with(word)) out.emplace_back(row.name);
    }
  } else if (word.starts_with('@')) {
    for (const std::string& name : resources) {
      const std::string_view bare = without_at(name);
      if (begins_ignoring_case(bare, word.substr(1))) {
        // What was typed stays; only the rest is added.
        out.push_back(std::string(word) + std::string(bare.substr(word.size() - 1)));
      }
    }
  } else if (line.starts_with("/use ")) {
    for (const std::string& name : resources) {
      if (name.starts_with(word)) out.push_back(name);
    }
  }
  return out;
}

}  // namespace quarry::cli
