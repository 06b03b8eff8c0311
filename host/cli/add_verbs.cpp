#include "base/printable.h"
#include "base/text.h"
#include "cli/connection.h"
#include "cli/resource_reference.h"
#include "cli/type_fields.h"
#include "cli/type_schemas.h"
#include "cli/verbs.h"

#include <filesystem>
#include <memory>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

namespace fs = std::filesystem;

/// Values of "add" and the verbs below it.
struct AddOptions {
  std::string source;    ///< folder or reference
  std::string name;      ///< empty = derived from the source
  std::string type;      ///< may be empty
  std::string refresh;   ///< may be empty
  bool offline = false;  ///< the source is not contacted
  NamedValues fields;
};

/// Values of the verb below "add" of one type.
struct TypeOptions {
  std::string type;
  std::string reference;  ///< may be empty
  TypeFields fields;
};

/// Name from the last part of a source: "docs" for "/home/me/docs", "kit" for
/// "https://x/y/kit.git".
std::string name_of(std::string source) {
  while (source.size() > 1 && source.back() == '/') source.pop_back();
  source.erase(0, source.find_last_of("/:") + 1);
  if (source.ends_with(".git")) source.erase(source.size() - 4);
  return source.substr(0, source.find('@', 1));
}

/// The resource of a folder, a file or a reference. One that is configured keeps its name, since to
/// add a folder twice is a mistake.
Result<Json> resource_of(Connection& connection, const std::string& source,
                         const TypeSchemas& schemas) {
  auto resource = recognised_source(connection, source);
  if (!resource || !is_folder_or_file(source)) return resource;
  const auto listed = connection.call("resources.list", "{}");
  if (!listed) return listed.error();
  const Json list = parse_json(*listed).value_or(Json::object());
  for (const Json& one : list.value("resources", Json::array())) {
    const bool same = one.value("type", "") == resource->value("type", "");
    if (same && schemas.sources_of(one) == schemas.sources_of(*resource)) {
      (*resource)["name"] = one.value("name", "");
    }
  }
  return resource;
}

/// Resource of a source alone: plugins parse folders and other references.
Result<Json> resource_of(Connection& connection, const AddOptions& options,
                         const TypeSchemas& schemas) {
  // A path that does not exist is no reference.
  if (auto read = resource_reference(options.source); !read) return std::move(read).error();
  Result<Json> resource = Json::object();
  if (options.type.empty() || is_folder_or_file(options.source)) {
    resource = resource_of(connection, options.source, schemas);
  }
  if (!resource) return resource;
  if (!options.type.empty()) (*resource)["type"] = options.type;
  if (!resource->contains("name")) (*resource)["name"] = name_of(options.source);
  return resource;
}

/// Resource of a named type: of a reference, if there is one, and of the type's own options.
Result<Json> resource_of(Connection& connection, const TypeOptions& options,
                         const TypeSchemas& schemas) {
  Result<Json> resource = Json::object();
  if (!options.reference.empty()) resource = resource_of(connection, options.reference, schemas);
  if (!resource) return resource;
  if (resource->value("type", options.type) != options.type) {
    return Error{Code::kInvalidArgument,
                 "\"" + options.reference + "\" is of the type \"" + resource->value("type", "") +
                     "\", not \"" + options.type + "\"",
                 "Run: quarry add " + shell_word(options.reference)}
        .tagged("ConfigError");
  }
  (*resource)["type"] = options.type;
  const auto fields = options.fields.given();
  if (!fields) return fields.error();
  resource->update(*fields);
  if (!resource->contains("name")) {
    const auto sources = schemas.sources_of(*resource);
    if (!sources.empty()) (*resource)["name"] = name_of(sources.front());
  }
  return resource;
}

std::string line_of(const Json& added, const TypeSchemas& schemas) {
  std::vector<std::string> facts = schemas.sources_of(added);
  facts.insert(facts.begin(), added.value("type", ""));
  return "added " + added.value("name", "") + " (" + join(facts, ", ") + ")";
}

Result<ExitCode> add(Connection& connection, Json resource, const AddOptions& options,
                     const TypeSchemas& schemas, Context& context) {
  if (!options.name.empty()) resource["name"] = options.name;
  if (!options.refresh.empty()) resource["refresh"] = options.refresh;
  for (const auto& [field, value] : options.fields) {
    resource[field] = field_value(schemas.rule(resource.value("type", ""), field), value);
  }
  resource["_contact"] = !options.offline;
  auto added = connection.call("resources.add", to_text(resource));
  if (!added) {
    Error error = std::move(added).error();
    if (error.tag == "ResourceError") {
      error.hint += std::string(error.hint.empty() ? "" : "; ") + "--offline adds it as it is";
    }
    return error;
  }
  if (context.common.json) {
    context.terminal.out_json(*added);
  } else {
    context.terminal.out_line(line_of(*parse_json(*added), schemas));
  }
  return ExitCode::kOk;
}

Result<ExitCode> run_add(const AddOptions& options, Context& context) {
  const auto connection = connect(context);
  if (!connection) return connection.error();
  const TypeSchemas schemas(**connection);
  auto resource = resource_of(**connection, options, schemas);
  if (!resource) return std::move(resource).error();
  return add(**connection, std::move(*resource), options, schemas, context);
}

/// True if the name of a type is not meant as such: it is the source of a resource whose type is an
/// option, or a folder.
bool is_source(const TypeOptions& of_type, const AddOptions& options) {
  std::error_code ignored;
  const bool bare = of_type.reference.empty() && of_type.fields.empty() && options.fields.empty();
  return !options.type.empty() || (bare && fs::is_directory(of_type.type, ignored));
}

Result<ExitCode> run_add_type(const TypeOptions& of_type, AddOptions options, Context& context) {
  if (is_source(of_type, options)) {
    options.source = of_type.type;
    return run_add(options, context);
  }
  const auto missing = of_type.fields.missing(options.fields);
  if (of_type.reference.empty() && !missing.empty()) {
    return usage_error("a reference or " + join(missing, ", ") + " is required");
  }
  const auto connection = connect(context);
  if (!connection) return connection.error();
  const TypeSchemas schemas(**connection);
  auto resource = resource_of(**connection, of_type, schemas);
  if (!resource) return std::move(resource).error();
  return add(**connection, std::move(*resource), options, schemas, context);
}

/// Options of "add" and of the verbs below it, whose names imply the type.
std::vector<Option> shared_options(CommonOptions& common, AddOptions& options,
                                   bool type_is_implied = false) {
  return with_server(
      common,
      {{"-n,--name", "", "Its name; default: derived from the source", &options.name},
       {"-t,--type",
        "",
        "Its type, if the source does not imply it",
        &options.type,
        {.hidden = type_is_implied}},
       {"--refresh", "",
        "When its source is checked for updates: always, never, or every 90s, 15m, 1h, 7d",
        &options.refresh},
       {"--offline", "", "Do not contact its source before it is added", &options.offline},
       {"-f,--field", "NAME=VALUE", "Set a field, as in searchPath=docs", &options.fields}});
}

/// Long names of options, which no field of a type may have.
std::vector<std::string> taken_by(const std::vector<Option>& options, CommonOptions& common) {
  std::vector<std::string> out{"--help"};
  for (const auto& rows : {options, options_of_every_verb(common)}) {
    for (const Option& option : rows) {
      for (std::string& name : long_names(option)) out.push_back(std::move(name));
    }
  }
  return out;
}

Verb type_verb(CommonOptions& common, const std::shared_ptr<AddOptions>& options,
               const OfferedType& type) {
  const std::vector<Option> shared = shared_options(common, *options, true);
  const auto of_type = std::make_shared<TypeOptions>(
      TypeOptions{type.name, {}, TypeFields(type.schema, taken_by(shared, common))});
  std::vector<Option> rows{
      {"reference", "", "A reference that the type recognises", &of_type->reference}};
  for (Option& option : of_type->fields.options()) rows.push_back(std::move(option));
  rows.insert(rows.end(), shared.begin(), shared.end());
  return {
      "add " + type.name, printable_line(type.summary), std::move(rows),
      [options, of_type](Context& context) { return run_add_type(*of_type, *options, context); },
      of_type->fields.notes()};
}

}  // namespace

std::vector<Verb> add_verbs(CommonOptions& common, const std::vector<OfferedType>& types) {
  const auto options = std::make_shared<AddOptions>();
  std::vector<Option> rows{{"source",
                            "",
                            "A folder, or a reference that a plugin recognises",
                            &options->source,
                            {.required = true}}};
  for (Option& option : shared_options(common, *options)) rows.push_back(std::move(option));
  std::vector<Verb> out{{"add", "Add a resource to the configuration", std::move(rows),
                         [options](Context& context) { return run_add(*options, context); }}};
  for (const OfferedType& type : types) out.push_back(type_verb(common, options, type));
  return out;
}

}  // namespace quarry::cli
