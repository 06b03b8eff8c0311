#include "cli/command_line.h"

#include "base/printable.h"
#include "base/text.h"
#include "cli/mcp_clients.h"

#include <algorithm>

#include <CLI/CLI.hpp>

namespace quarry::cli {
namespace {

constexpr const char* kLockedHelp = "Use exactly the versions of quarry.lock, or fail";

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// An option that takes "name=value", any number of times.
void add_pairs(CLI::App& app, const std::string& name, Pairs& into, const std::string& help) {
  app.add_option_function<std::vector<std::string>>(
         name,
         [&into, name](const std::vector<std::string>& values) {
           for (const std::string& value : values) {
             const std::size_t equals = value.find('=');
             if (equals == std::string::npos || equals == 0) {
               throw CLI::ValidationError(name, "\"" + value + "\" is not of the form name=value");
             }
             into.emplace_back(value.substr(0, equals), value.substr(equals + 1));
           }
         },
         help)
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

void add_common(CLI::App& verb, Arguments& out) {
  verb.add_option("-c,--config", out.config_file, "Read only this configuration file")
      ->type_name("FILE");
  add_pairs(verb, "--set", out.settings,
            "Set a value of the configuration, as in model.provider=auto");
}

void add_server(CLI::App& verb, Arguments& out) {
  verb.add_option("-s,--server", out.server,
                  "Use this running server instead of starting an engine")
      ->type_name("URL");
  verb.add_flag("--json", out.json, "Print JSON");
}

CLI::App* add_verb(CLI::App& app, Arguments& out, const std::string& name,
                   const std::string& help) {
  CLI::App* verb = app.add_subcommand(name, help);
  add_common(*verb, out);
  std::string full = name;
  for (CLI::App* above = &app; above->get_parent() != nullptr; above = above->get_parent()) {
    full = above->get_name() + " " + full;
  }
  verb->callback([&out, verb, full] {
    if (verb->get_subcommands().empty()) out.verb = full;
  });
  return verb;
}

void build_history(CLI::App& app, Arguments& out) {
  CLI::App* usage = add_verb(app, out, "usage", "Sum up what questions used and cost");
  usage->add_option("--since", out.since, "From a day (2026-11-01, UTC), or an age: 7d, 24h")
      ->type_name("DAY|AGE");
  usage->add_option("--by", out.by, "A row for each model, resource or day")
      ->check(CLI::IsMember({"model", "resource", "day"}));
  add_server(*usage, out);

  CLI::App* threads = add_verb(app, out, "threads", "List the stored conversations");
  threads->require_subcommand(0, 1);
  add_server(*threads, out);
  add_server(*add_verb(*threads, out, "list", "List them, the most recent first"), out);
  for (const auto& [name, help] :
       {std::pair("show", "Print a conversation"), std::pair("remove", "Remove a conversation")}) {
    CLI::App* verb = add_verb(*threads, out, name, help);
    verb->add_option("id", out.thread, "Its id")->required();
    add_server(*verb, out);
  }
}

void build_secrets(CLI::App& projects, Arguments& out) {
  CLI::App* secret =
      add_verb(projects, out, "secret", "Manage the secrets of a project's resources");
  secret->require_subcommand(1);
  const auto add = [&](const char* name, const char* help) {
    CLI::App* verb = add_verb(*secret, out, name, help);
    verb->add_option("project", out.name, "The project")->required();
    verb->add_flag("--json", out.json, "Print JSON");
    return verb;
  };
  CLI::App* set = add("set", "Set a secret of a resource, from standard input or by reference");
  CLI::App* remove = add("remove", "Remove a secret of a resource");
  for (CLI::App* verb : {set, remove}) {
    verb->add_option("secret", out.store.secret, "As in docs.token: the resource and its member")
        ->required();
  }
  CLI::Option* env = set->add_option("--env", out.store.env,
                                     "Read it from this environment variable of the server");
  CLI::Option* file =
      set->add_option("--file", out.store.file, "Read it from this file of the server");
  set->add_option("--command", out.store.command, "Read it from the output of this program")
      ->type_name("PROGRAM [ARGUMENT...]")
      ->excludes(env)
      ->excludes(file);
  env->excludes(file);
  add("list", "List the secrets of a project, without values");
}

void build_store(CLI::App& app, Arguments& out) {
  const auto add_json = [&out](CLI::App* verb) {
    verb->add_flag("--json", out.json, "Print JSON");
  };
  CLI::App* projects = add_verb(app, out, "projects", "Manage the projects of tokens");
  projects->require_subcommand(1);
  CLI::App* make = add_verb(*projects, out, "create", "Create a project");
  make->add_option("name", out.name, "Its name")->required();
  make->add_option("--usd-per-day", out.store.usd_per_day,
                   "Daily spending limit of its tokens (UTC)");
  add_json(make);
  add_json(add_verb(*projects, out, "list", "List the projects"));
  CLI::App* remove = add_verb(*projects, out, "remove",
                              "Remove a project with its resources, also from its tokens");
  remove->add_option("name", out.name, "Its name")->required();
  add_json(remove);
  build_secrets(*projects, out);

  CLI::App* tokens = add_verb(app, out, "tokens", "Manage the tokens of callers");
  tokens->require_subcommand(1);
  CLI::App* create = add_verb(*tokens, out, "create", "Create a token and print it, once");
  create
      ->add_option("-p,--project", out.store.projects,
                   "A project it may use; the first one is its default")
      ->required()
      ->allow_extra_args(false);
  create->add_option("--rights", out.store.rights, "Its rights: ask, list, add, metrics")
      ->delimiter(',')
      ->default_val(std::vector<std::string>{"ask", "list"})
      ->check(CLI::IsMember({"ask", "list", "add", "metrics"}));
  create->add_option("--expires", out.store.expires, "When it expires: 90d, 12h");
  create->add_option("--label", out.store.label, "A label for lists, such as its user");
  create->add_option("--requests-per-minute", out.store.requests_per_minute, "Requests per minute");
  create->add_option("--streams", out.store.streams, "Concurrent questions");
  create->add_option("--usd-per-day", out.store.usd_per_day, "Its daily spending limit (UTC)");
  add_json(create);
  CLI::App* list = add_verb(*tokens, out, "list", "List the tokens, without their values");
  list->add_option("-p,--project", out.name, "Only those of this project");
  add_json(list);
  CLI::App* revoke =
      add_verb(*tokens, out, "revoke", "Revoke a token and end its running questions");
  revoke->add_option("id", out.name, "Its id, as in the list")->required();
  add_json(revoke);
}

void build_mcp(CLI::App& app, Arguments& out) {
  CLI::App* mcp = add_verb(app, out, "mcp", "Serve MCP on standard input and output, for editors");
  mcp->require_subcommand(0, 1);
  mcp->add_option("-s,--server", out.server,
                  "Forward it to this server's endpoint, with the token in QUARRY_TOKEN")
      ->type_name("URL");
  CLI::App* setup =
      add_verb(*mcp, out, "setup", "Show how a client's configuration would start this program");
  std::vector<std::string> clients;
  for (const McpClient& client : mcp_clients()) clients.emplace_back(client.id);
  setup->add_option("client", out.client, join(clients, ", "))
      ->required()
      ->check(CLI::IsMember(clients));
  setup->add_flag("--write", out.write, "Make the change");
  CLI::Option* project = setup->add_flag(
      "--project", out.project, "Change the file of the project in this directory, not the user's");
  setup->add_option("--file", out.file, "Change this file")->type_name("FILE")->excludes(project);
  setup->add_option("-n,--name", out.name, "Name of the server in the client; default: quarry");
  CLI::Option* url = setup->add_option("--url", out.url,
                                       "Use a Quarry server at this URL instead of starting one");
  setup
      ->add_option("--token-env", out.token_variable,
                   "The environment variable with the token for --url")
      ->type_name("NAME")
      ->needs(url);
  setup
      ->add_option("-s,--server", out.server,
                   "Start this program as a bridge to the server at this URL")
      ->type_name("URL")
      ->excludes(url);
}

void build_trust(CLI::App& app, Arguments& out) {
  CLI::App* trust =
      add_verb(app, out, "trust", "Show what a project's configuration would do, and trust it");
  trust->add_option("file", out.file, "The file; default: that of the project here");
  CLI::Option* yes = trust->add_flag("-y,--yes", out.trust.yes, "Trust it without asking");
  CLI::Option* list = trust->add_flag("--list", out.trust.list, "List the trusted files");
  trust->add_flag("--revoke", out.trust.revoke, "Revoke the trust")->excludes(yes)->excludes(list);
  list->excludes(yes);
  trust->add_flag("--json", out.json, "Print JSON");
}

void build(CLI::App& app, Arguments& out) {
  app.require_subcommand(1);
  app.set_version_flag("--version", "quarry " QUARRY_VERSION);

  CLI::App* serve = add_verb(app, out, "serve", "Serve every enabled transport until stopped");
  serve
      ->add_option_function<std::string>(
          "-l,--listen",
          [&out](const std::string& address) {
            out.settings.emplace_back("transport.rest.listen", "\"" + address + "\"");
          },
          "Address of the REST transport")
      ->type_name("ADDRESS:PORT");
  serve->add_flag("--locked", out.locked, kLockedHelp);

  CLI::App* ask = add_verb(app, out, "ask", "Ask a question and print the answer as it arrives");
  ask->add_option("-r,--resource", out.resources,
                  "Ask over this resource: a name, a folder, or a reference such as npm:react@18")
      ->type_name("NAME|PATH|REFERENCE")
      ->allow_extra_args(false);
  ask->add_option("question", out.question, "The question")->required();
  ask->add_flag_function(
      "--sync,!--no-sync", [&out](std::int64_t count) { out.sync = count > 0; },
      "Check the sources for updates before the answer, or contact none of them");
  CLI::Option* locked = ask->add_flag("--locked", out.locked, kLockedHelp);
  locked->excludes("--sync");
  ask->add_flag("-q,--quiet", out.quiet, "Print only the answer");
  CLI::Option* thread = ask->add_option("--thread", out.thread,
                                        "Continue this conversation, or start one of this name");
  thread->type_name("ID");
  ask->add_flag("--continue", out.continue_last, "Continue the most recent conversation")
      ->excludes(thread);
  add_server(*ask, out);
  locked->excludes("--server");

  CLI::App* add = add_verb(app, out, "add", "Add a resource to the configuration");
  add->add_option("source", out.source, "A folder, or a reference that a plugin recognises")
      ->required();
  add->add_option("-n,--name", out.name, "Its name; default: derived from the source");
  add->add_option("-t,--type", out.type, "Its type, if the source does not imply it");
  add->add_option(
      "--refresh", out.refresh,
      "When its source is checked for updates: always, never, or every 90s, 15m, 1h, 7d");
  add_pairs(*add, "-f,--field", out.fields, "Set a field, as in searchPath=docs");
  add_server(*add, out);

  CLI::App* remove = add_verb(app, out, "remove", "Remove a resource from the configuration");
  remove->add_option("name", out.name, "Its name")->required();
  add_server(*remove, out);

  add_server(*add_verb(app, out, "resources", "List the resources"), out);
  CLI::App* sync = add_verb(app, out, "sync", "Check the sources of resources for updates");
  sync->add_option("name", out.name, "Only this resource");
  add_server(*sync, out);
  add_verb(app, out, "lock", "Write the current versions of resources to quarry.lock")
      ->add_flag("--json", out.json, "Print JSON");
  CLI::App* clear = add_verb(app, out, "clear", "Remove cached snapshots not in use");
  clear->add_option("name", out.name, "Only those of this resource");
  add_server(*clear, out);

  CLI::App* models = add_verb(app, out, "models", "List the models, and why some are not usable");
  add_server(*models, out);
  CLI::App* use = add_verb(*models, out, "use", "Use this model from now on");
  use->add_option("model", out.model,
                  "A provider or a named model, or one of its models as in openai/gpt-x")
      ->type_name("PROVIDER[/MODEL]")
      ->required();
  add_pairs(*use, "-o,--option", out.fields, "Set an option of the provider, as in base_url=…");
  add_server(*use, out);

  build_history(app, out);
  build_store(app, out);
  build_mcp(app, out);

  CLI::App* plugins = add_verb(app, out, "plugins", "Inspect the plugins");
  plugins->require_subcommand(1);
  add_verb(*plugins, out, "list", "List the plugins found, without loading them")
      ->add_flag("--json", out.json, "Print JSON");
  CLI::App* probe = add_verb(*plugins, out, "probe", "Load one plugin in this process and report");
  probe->add_option("file", out.file, "Its shared object")->required();

  build_trust(app, out);
  CLI::App* config = add_verb(app, out, "config", "Inspect the configuration");
  config->require_subcommand(1);
  add_verb(*config, out, "check", "Check every file; loads no plugin");
  add_verb(*config, out, "show", "Print the effective configuration, without secrets");
  add_verb(*config, out, "path", "Print the files that are read, the writable one first");

  CLI::App* completion = add_verb(app, out, "completion", "Print a completion script");
  completion->add_option("shell", out.shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  add_verb(app, out, "version", "Print the version");
}

void collect(const CLI::App& app, const std::string& prefix, std::vector<VerbOptions>& out) {
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    VerbOptions row{prefix + verb->get_name(), verb->get_description(), {}};
    for (const CLI::Option* option : verb->get_options()) {
      for (const std::string& name : option->get_lnames()) row.options.push_back("--" + name);
    }
    out.push_back(row);
    collect(*verb, row.verb + " ", out);
  }
}

/// A usage error if the first word is not a verb.
std::optional<Usage> unknown_verb(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return std::nullopt;
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    verbs.push_back(verb->get_name());
  }
  if (std::find(verbs.begin(), verbs.end(), argv[1]) != verbs.end()) return std::nullopt;
  const auto near = nearest(argv[1], verbs);
  return Usage{"error: there is no verb \"" + printable_line(argv[1]) + "\"; " +
                   (near ? "did you mean \"" + *near + "\"?" : "there are: " + join(verbs, ", ")) +
                   "\n",
               2};
}

}  // namespace

std::variant<Arguments, Usage> parse_command_line(int argc, const char* const* argv) {
  Arguments out;
  CLI::App app("Quarry answers questions about code and documents, with citations.", "quarry");
  build(app, out);
  if (auto usage = unknown_verb(app, argc, argv)) return std::move(*usage);
  try {
    app.parse(argc, argv);
    return out;
  } catch (const CLI::ParseError& error) {
    std::ostringstream help;
    std::ostringstream complaint;
    const bool asked = app.exit(error, help, complaint) == 0;
    if (asked) return Usage{help.str(), 0};
    std::string text = complaint.str();
    text.erase(text.find_last_not_of('\n') + 1);
    return Usage{"error: " + printable_indented(text, 2) + "\n", 2};
  }
}

std::vector<VerbOptions> all_verbs() {
  Arguments unused;
  CLI::App app;
  build(app, unused);
  std::vector<VerbOptions> out;
  collect(app, "", out);
  return out;
}

}  // namespace quarry::cli
