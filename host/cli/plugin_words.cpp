#include "cli/plugin_words.h"

#include "base/printable.h"
#include "base/text.h"
#include "plugins/plugin_rules.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

constexpr std::size_t kLabelWidth = 14;

std::string component_words(const plugins::ManifestComponent& component) {
  std::string out = component.kind + " \"" + component.name + "\"";
  if (!component.schema_file.empty()) out += ", schema " + component.schema_file;
  if (!component.configuration_schema_file.empty()) {
    out += ", configuration " + component.configuration_schema_file;
  }
  if (component.opt_in) out += ", starts only where the configuration enables it";
  if (!plugins::is_known_kind(component.kind)) out += kUnknownKind;
  return out;
}

void add_rows(PluginRows& rows, const std::string& label, const std::vector<std::string>& texts) {
  for (std::size_t i = 0; i < texts.size(); ++i) rows.emplace_back(i == 0 ? label : "", texts[i]);
}

/// JSON pointers as a user writes fields: "registry", "mirrors.first".
std::vector<std::string> words_of(const std::vector<std::string>& fields) {
  std::vector<std::string> out;
  for (const auto& field : fields) {
    auto words = field.substr(std::min<std::size_t>(1, field.size()));
    std::ranges::replace(words, '/', '.');
    out.push_back(std::move(words));
  }
  return out;
}

std::string padded(const std::string& label) {
  return label + std::string(kLabelWidth - std::min(kLabelWidth, label.size()), ' ');
}

}  // namespace

void print_plugin(Terminal& terminal, const plugins::Manifest& manifest, const PluginRows& rows) {
  terminal.out_line(manifest.id + " " + printable_exact(manifest.version));
  terminal.out_line("    " + printable_exact(manifest.summary));
  for (const auto& [label, text] : rows) {
    terminal.out_line("  " + padded(label) + printable_exact(text));
  }
}

void add_components(PluginRows& rows, const plugins::Manifest& manifest) {
  std::vector<std::string> texts;
  for (const auto& component : manifest.components) texts.push_back(component_words(component));
  add_rows(rows, "components", texts);
}

void add_permissions(PluginRows& rows, const plugins::Permissions& permissions) {
  add_rows(rows, "permissions", permission_words(permissions));
}

std::vector<std::string> permission_words(const plugins::Permissions& permissions) {
  std::vector<std::string> out;
  const auto add = [&](const char* words, const std::vector<std::string>& names) {
    if (!names.empty()) out.push_back(words + join(names, ", "));
  };
  const auto& hosts = permissions.hosts;
  if (std::ranges::find(hosts, "*") != hosts.end()) {
    out.emplace_back("reaches every host over HTTP");
  } else {
    add("reaches over HTTP: ", hosts);
  }
  add("reaches over HTTP the hosts that these fields name: ", words_of(permissions.host_fields));
  add("reaches over HTTP the hosts of the URLs in these files of yours: ", permissions.host_files);
  add("runs the programs: ", permissions.programs);
  add("reads the secrets: ", permissions.secrets);
  add("reads the secrets that these fields name: ", words_of(permissions.secret_fields));
  if (out.empty()) out.emplace_back("reaches no host, runs no program, reads no secret");
  return out;
}

std::vector<std::string> sandbox_words(const runner::Sandbox& sandbox) {
  const auto memory = std::to_string(sandbox.memory >> 20) + " MiB";
  return {
      sandbox.landlock > 0
          ? "files: its own alone (Landlock " + std::to_string(sandbox.landlock) + ")"
          : "files: not restricted, this kernel has no Landlock",
      sandbox.seccomp ? "network, programs, other processes: denied (seccomp)"
                      : "network, programs, other processes: not restricted, this kernel has no "
                        "seccomp filters",
      sandbox.memory > 0 ? "memory: at most " + memory : std::string("memory: not limited"),
  };
}

Json components_json(const plugins::Manifest& manifest) {
  Json out = Json::array();
  for (const auto& component : manifest.components) {
    Json each{{"kind", component.kind}, {"name", component.name}};
    if (!component.schema_file.empty()) each["schema"] = component.schema_file;
    if (!component.configuration_schema_file.empty()) {
      each["configuration"] = component.configuration_schema_file;
    }
    if (component.opt_in) each["enabled"] = false;
    out.push_back(std::move(each));
  }
  return out;
}

}  // namespace quarry::cli
