#include "cli/command_line.h"

#include "base/printable.h"
#include "base/text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

#include <CLI/CLI.hpp>

namespace quarry::cli {
namespace {

/// Adds an option to a parser, in the form that its target needs.
class Adder {
 public:
  Adder(CLI::App& app, const Option& row) : app_(app), row_(row) {}

  CLI::Option* operator()(bool* target) const {
    return app_.add_flag(row_.names, *target, row_.help);
  }

  CLI::Option* operator()(std::optional<bool>* target) const {
    return app_.add_flag_function(
        row_.names, [target](std::int64_t count) { *target = count > 0; }, row_.help);
  }

  CLI::Option* operator()(std::vector<std::string>* target) const {
    CLI::Option* option = app_.add_option(row_.names, *target, row_.help);
    if (!target->empty()) option->capture_default_str();
    return option;
  }

  CLI::Option* operator()(NamedValues* target) const {
    return app_
        .add_option_function<std::vector<std::string>>(
            row_.names,
            [target, name = row_.names](const std::vector<std::string>& values) {
              for (const std::string& value : values) target->push_back(named(value, name));
            },
            row_.help)
        ->allow_extra_args(false);
  }

  CLI::Option* operator()(const SettingTarget& target) const {
    return app_.add_option_function<std::string>(
        row_.names,
        [target](const std::string& value) {
          target.settings->emplace_back(target.key, "\"" + value + "\"");
        },
        row_.help);
  }

  template <class Value>
  CLI::Option* operator()(Value* target) const {
    return app_.add_option(row_.names, *target, row_.help);
  }

 private:
  static NamedValues::value_type named(const std::string& value, const std::string& option) {
    const std::size_t equals = value.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw CLI::ValidationError(option, "\"" + value + "\" is not of the form name=value");
    }
    return {value.substr(0, equals), value.substr(equals + 1)};
  }

  CLI::App& app_;
  const Option& row_;
};

/// Help of a verb, with excluded options in the order of its options: CLI11 orders them by address.
class Help : public CLI::Formatter {
 public:
  explicit Help(std::vector<CLI::Option*> options) : options_(std::move(options)) {
    label("SUBCOMMAND", "VERB");
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    constexpr std::string_view kExcludes = " Excludes:";
    std::string out = CLI::Formatter::make_option_opts(option);
    const auto excluded = option->get_excludes();
    if (excluded.empty()) return out;
    out.erase(out.find(kExcludes) + kExcludes.size());
    for (CLI::Option* each : options_) {
      if (excluded.contains(each)) out += " " + each->get_name();
    }
    return out;
  }

 private:
  std::vector<CLI::Option*> options_;
};

CLI::Option* add_option(CLI::App& app, const Option& row) {
  CLI::Option* option = std::visit(Adder(app, row), row.target);
  if (*row.argument != '\0') option->type_name(row.argument);
  if (row.rules.required) option->required();
  if (row.rules.hidden) option->group("");
  if (row.rules.one_each) option->allow_extra_args(false);
  if (row.rules.separator != '\0') option->delimiter(row.rules.separator);
  if (!row.rules.one_of.empty()) option->check(CLI::IsMember(row.rules.one_of));
  return option;
}

void add_options(CLI::App& app, const std::vector<Option>& rows) {
  std::vector<CLI::Option*> added;
  for (const Option& row : rows) added.push_back(add_option(app, row));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const char* name : rows[i].rules.excludes) added[i]->excludes(app.get_option(name));
    if (const char* name = rows[i].rules.needs) added[i]->needs(app.get_option(name));
  }
  app.formatter(std::make_shared<Help>(std::move(added)));
}

/// Makes the positional arguments of a verb and the verbs below it alternatives. CLI11 takes no
/// word as a verb while it misses a required argument.
void offer_alternatives(CLI::App& app) {
  std::vector<CLI::Option*> required;
  for (CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    for (CLI::App* nested : app.get_subcommands([](CLI::App*) { return true; })) {
      nested->excludes(option);
    }
    if (option->get_required()) required.push_back(option->required(false));
  }
  app.final_callback([&app, required] {
    if (!app.get_subcommands().empty()) return;
    for (const CLI::Option* option : required) {
      if (option->count() == 0) throw CLI::RequiredError(option->get_name());
    }
  });
}

/// True if `verb` is the one that `first`, the first word given, names, or is below it.
bool is_of(const Verb& verb, std::string_view first) {
  return std::string_view(verb.name).substr(0, verb.name.find(' ')) == first;
}

/// Adds the verbs, those of `first` with their options: those of others are never read.
void add_all(CLI::App& app, const std::vector<Verb>& verbs, std::string_view first) {
  std::map<std::string, CLI::App*> apps{{"", &app}};
  for (const Verb& verb : verbs) {
    const std::size_t space = verb.name.rfind(' ');
    const bool nested = space != std::string::npos;
    CLI::App* above = apps.at(nested ? verb.name.substr(0, space) : "");
    CLI::App* added =
        above->add_subcommand(nested ? verb.name.substr(space + 1) : verb.name, verb.summary);
    added->group("Verbs");
    apps[verb.name] = added;
    if (is_of(verb, first)) add_options(*added, verb.options);
    added->footer(verb.notes);
  }
  app.require_subcommand(1);
  for (const Verb& verb : verbs) {
    CLI::App& added = *apps[verb.name];
    added.require_subcommand(verb.run ? 0 : 1, 1);
    if (!added.get_subcommands([](CLI::App*) { return true; }).empty()) offer_alternatives(added);
  }
}

/// Every word of the verb that was given.
std::string given_verb(const CLI::App& app) {
  std::vector<std::string> words;
  for (auto given = app.get_subcommands(); !given.empty();
       given = given.front()->get_subcommands()) {
    words.push_back(given.front()->get_name());
  }
  return join(words, " ");
}

/// The number of words of the option that `word` begins, with its value; 0 if it is none of these.
int words_of_option(std::string_view word, const std::vector<Option>& options) {
  const std::string_view name = word.substr(0, word.find('='));
  const auto found = std::ranges::find_if(options, [&](const Option& option) {
    const auto names = split(option.names, ',');
    return std::ranges::find(names, name) != names.end();
  });
  if (found == options.end()) return 0;
  const bool is_flag = std::holds_alternative<bool*>(found->target);
  return is_flag || name != word ? 1 : 2;
}

/// A usage error if the first word is not a verb.
std::optional<Usage> unknown_verb(const std::vector<Verb>& verbs, int argc,
                                  const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return std::nullopt;
  std::vector<std::string> names;
  for (const Verb& verb : verbs) {
    if (verb.name.find(' ') == std::string::npos) names.push_back(verb.name);
  }
  if (std::ranges::find(names, argv[1]) != names.end()) return std::nullopt;
  const auto near = nearest(argv[1], names);
  return Usage{"error: there is no verb \"" + printable_line(argv[1]) + "\"; " +
                   (near ? "did you mean \"" + *near + "\"?" : "there are: " + join(names, ", ")) +
                   "\n",
               2};
}

/// The parser of the verb that was given; `app` if there is none.
const CLI::App& parser_of_verb(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

/// The option of the verb that an unexpected word is nearly.
std::optional<std::string> nearest_option(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : parser_of_verb(app).get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const std::string& word : app.remaining(true)) {
    if (!word.starts_with("--")) continue;
    if (auto near = nearest(word.substr(0, word.find('=')), names)) return near;
  }
  return std::nullopt;
}

/// What a command line without a verb gets: the help if it is empty, else the verbs that can
/// follow.
Usage missing_verb(const CLI::App& app, bool is_empty) {
  const CLI::App* const at = &parser_of_verb(app);
  if (is_empty) return {app.help(), 0};
  if (at == &app) {
    return {"error: the command line has no verb; \"quarry --help\" lists them\n", 2};
  }
  std::vector<std::string> names;
  for (const CLI::App* nested : at->get_subcommands({})) names.push_back(nested->get_name());
  return {"error: \"quarry " + given_verb(app) +
              "\" needs a verb; there are: " + join(names, ", ") + "\n",
          2};
}

Usage usage_of(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream help;
  std::ostringstream complaint;
  const bool asked = app.exit(error, help, complaint) == 0;
  if (asked) return {help.str(), 0};
  std::string text = complaint.str();
  text.erase(text.find_last_not_of('\n') + 1);
  const bool is_unknown = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  if (const auto near = is_unknown ? nearest_option(app) : std::nullopt) {
    text.insert(std::min(text.find('\n'), text.size()), "; did you mean \"" + *near + "\"?");
  }
  return {"error: " + printable_indented(text, 2) + "\n", 2};
}

}  // namespace

std::vector<const char*> with_verb_first(int argc, const char* const* argv) {
  CommonOptions common;
  const std::vector<Option> options = with_server(common, options_of_every_verb(common));
  std::vector<const char*> words(argv, argv + argc);
  int verb = 1;
  while (verb < argc) {
    const int words_before = words_of_option(argv[verb], options);
    if (words_before == 0) break;
    verb += words_before;
  }
  if (verb >= argc) return words;
  const auto is_end = [](std::string_view word) { return word == "--"; };
  const auto end = std::find_if(words.begin() + verb, words.end(), is_end);
  std::rotate(words.begin() + 1, words.begin() + verb, end);
  return words;
}

CommonOptions common_options_in(int argc, const char* const* argv) {
  CommonOptions common;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  add_options(app, options_of_every_verb(common));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError&) {
    return {};
  }
  return common;
}

std::variant<Command, Usage> parse_command_line(int argc, const char* const* argv,
                                                const std::vector<OfferedType>& types,
                                                MakeVerbs make_verbs) {
  auto common = std::make_unique<CommonOptions>();
  std::vector<Verb> verbs = make_verbs(*common, types);
  if (auto usage = unknown_verb(verbs, argc, argv)) return std::move(*usage);
  CLI::App app("Quarry answers questions about code and documents, with citations.", "quarry");
  app.set_version_flag("--version", "quarry " QUARRY_VERSION);
  add_options(app, {});
  add_all(app, verbs, argc > 1 ? argv[1] : "");
  try {
    app.parse(argc, argv);
  } catch (const CLI::RequiredError& error) {
    if (std::string_view(error.what()).contains("subcommand")) return missing_verb(app, argc <= 1);
    return usage_of(app, error);
  } catch (const CLI::ParseError& error) {
    return usage_of(app, error);
  } catch (const std::logic_error&) {
    // CLI11 lets out what std::stoll throws for the value of a flag that has an opposite.
    return Usage{
        "error: a flag has a value that is neither a number nor true or false\n"
        "  Run with --help for more information.\n",
        2};
  }
  const auto given = std::ranges::find(verbs, given_verb(app), &Verb::name);
  return Command{std::move(common), std::move(*given)};
}

}  // namespace quarry::cli
