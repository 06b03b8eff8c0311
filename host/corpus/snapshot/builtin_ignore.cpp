#include "corpus/snapshot/builtin_ignore.h"

#include "base/text.h"

#include <algorithm>
#include <array>

namespace quarry::corpus {
namespace {

using Names = std::string_view;

constexpr auto kVersionControl = std::to_array<Names>({".bzr", ".git", ".hg", ".jj", ".svn"});

constexpr auto kDependencies = std::to_array<Names>({".bundle",
                                                     ".cache",
                                                     ".dart_tool",
                                                     ".direnv",
                                                     ".eggs",
                                                     ".gradle",
                                                     ".hypothesis",
                                                     ".ipynb_checkpoints",
                                                     ".mypy_cache",
                                                     ".next",
                                                     ".nox",
                                                     ".nuxt",
                                                     ".nyc_output",
                                                     ".parcel-cache",
                                                     ".pnpm-store",
                                                     ".pytest_cache",
                                                     ".ruff_cache",
                                                     ".stack-work",
                                                     ".svelte-kit",
                                                     ".terraform",
                                                     ".tox",
                                                     ".turbo",
                                                     ".venv",
                                                     ".vite",
                                                     ".yarn",
                                                     ".zig-cache",
                                                     "__pycache__",
                                                     "__pypackages__",
                                                     "bower_components",
                                                     "dist-newstyle",
                                                     "elm-stuff",
                                                     "jspm_packages",
                                                     "node_modules"});

struct BuildDirectory {
  std::string_view name;
  std::string_view beside;
};

constexpr std::array kBuildDirectories = std::to_array<BuildDirectory>({
    {"Pods", "Podfile"},          {"_build", "dune-project"},  {"_build", "mix.exs"},
    {"build", "CMakeLists.txt"},  {"build", "build.gradle"},   {"build", "build.gradle.kts"},
    {"build", "meson.build"},     {"build", "pyproject.toml"}, {"build", "setup.py"},
    {"coverage", "package.json"}, {"deps", "mix.exs"},         {"dist", "package.json"},
    {"dist", "pyproject.toml"},   {"dist", "setup.py"},        {"target", "Cargo.toml"},
    {"target", "build.sbt"},      {"target", "pom.xml"},       {"vendor", "composer.json"},
    {"zig-out", "build.zig"},
});

constexpr auto kSecretNames = std::to_array<Names>({".ash_history",
                                                    ".aws_credentials",
                                                    ".bash_history",
                                                    ".boto",
                                                    ".dbshell",
                                                    ".docker_config.json",
                                                    ".dockercfg",
                                                    ".dockerconfigjson",
                                                    ".env",
                                                    ".envrc",
                                                    ".git-credentials",
                                                    ".htpasswd",
                                                    ".irb_history",
                                                    ".ksh_history",
                                                    ".my.cnf",
                                                    ".mylogin.cnf",
                                                    ".mysql_history",
                                                    ".netrc",
                                                    ".node_repl_history",
                                                    ".npmrc",
                                                    ".pgpass",
                                                    ".php_history",
                                                    ".pry_history",
                                                    ".psql_history",
                                                    ".pypirc",
                                                    ".python_history",
                                                    ".rediscli_history",
                                                    ".rhistory",
                                                    ".s3cfg",
                                                    ".sh_history",
                                                    ".sqlite_history",
                                                    ".terraformrc",
                                                    ".vault-token",
                                                    ".viminfo",
                                                    ".zhistory",
                                                    ".zsh_history",
                                                    "_netrc",
                                                    "access_tokens.db",
                                                    "accesstokens.json",
                                                    "application_default_credentials.json",
                                                    "consolehost_history.txt",
                                                    "credentials",
                                                    "credentials.db",
                                                    "credentials.json",
                                                    "credentials.tfrc.json",
                                                    "credentials.toml",
                                                    "fish_history",
                                                    "id_dsa",
                                                    "id_ecdsa",
                                                    "id_ecdsa_sk",
                                                    "id_ed25519",
                                                    "id_ed25519_sk",
                                                    "id_rsa",
                                                    "kubeconfig",
                                                    "msal_token_cache.json",
                                                    "rclone.conf",
                                                    "secret.json",
                                                    "secrets.json",
                                                    "secrets.yaml",
                                                    "secrets.yml",
                                                    "terraform.rc",
                                                    "terraform.tfstate.backup",
                                                    "wp-config.php"});

// Secrets only in a certain directory: ends of paths, and folders within them.
constexpr auto kSecretPaths =
    std::to_array<Names>({"/.aws/config", "/.docker/config.json", "/.kube/config",
                          "/.streamlit/secrets.toml", "/gh/hosts.yml", "/glab-cli/config.yml"});
constexpr auto kSecretFolders =
    std::to_array<Names>({"/.aws/cli/", "/.aws/sso/", "/.config/gcloud/", "/.gnupg/",
                          "/.password-store/", "/.ssh/", "/gcloud/legacy_credentials/"});

constexpr auto kSecretEndings =
    std::to_array<Names>({".env", ".jks", ".kdbx", ".key", ".keystore", ".p12", ".pem", ".pfx",
                          ".pkcs12", ".ppk", ".tfstate"});

constexpr auto kSampleEndings =
    std::to_array<Names>({".dist", ".example", ".pub", ".sample", ".template"});

bool contains(std::span<const Names> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool ends_with_any(std::string_view name, std::span<const Names> endings) {
  return std::ranges::any_of(endings, [&](Names ending) { return name.ends_with(ending); });
}

}  // namespace

bool is_version_control(std::string_view name) {
  return contains(kVersionControl, name);
}

bool is_dependency_directory(std::string_view name) {
  return contains(kDependencies, name);
}

bool is_build_directory(std::string_view name,
                        const std::function<bool(std::string_view)>& has_sibling) {
  return std::ranges::any_of(kBuildDirectories, [&](const BuildDirectory& directory) {
    return directory.name == name && has_sibling(directory.beside);
  });
}

bool is_marked_directory(const std::function<bool(std::string_view)>& holds) {
  return holds("CACHEDIR.TAG") || holds("pyvenv.cfg") ||
         (holds("CMakeCache.txt") && !holds("CMakeLists.txt"));
}

bool is_secret_file(std::string_view path) {
  const std::string lower = "/" + to_lower(path);
  if (ends_with_any(lower, kSampleEndings)) return false;
  const std::string_view name = std::string_view(lower).substr(lower.rfind('/') + 1);
  if (contains(kSecretNames, name) || ends_with_any(name, kSecretEndings) ||
      name.starts_with(".env.")) {
    return true;
  }
  return ends_with_any(lower, kSecretPaths) ||
         std::ranges::any_of(kSecretFolders, [&](Names folder) { return lower.contains(folder); });
}

LeftOut is_left_out(std::string_view path, const PackRules& rules) {
  const auto parts = split(path, '/');
  for (const std::string_view directory : std::span(parts).first(parts.size() - 1)) {
    if (is_version_control(directory)) return LeftOut::kByRule;
    if (rules.skip_dependencies && is_dependency_directory(directory)) return LeftOut::kByRule;
  }
  if (is_version_control(parts.back())) return LeftOut::kByRule;
  return rules.skip_secrets && is_secret_file(path) ? LeftOut::kSecret : LeftOut::kNo;
}

}  // namespace quarry::corpus
