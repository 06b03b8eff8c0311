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

constexpr auto kSecretNames =
    std::to_array<Names>({".authinfo",
                          ".aws_credentials",
                          ".boto",
                          ".credentials",
                          ".credentials.json",
                          ".databrickscfg",
                          ".dbshell",
                          ".dev.vars",
                          ".docker_config.json",
                          ".dockercfg",
                          ".dockerconfigjson",
                          ".env",
                          ".envrc",
                          ".esmtprc",
                          ".fetchmailrc",
                          ".ftpconfig",
                          ".ftppass",
                          ".getmailrc",
                          ".git-credentials",
                          ".htpasswd",
                          ".msmtprc",
                          ".muttrc",
                          ".my.cnf",
                          ".mylogin.cnf",
                          ".netrc",
                          ".npmrc",
                          ".passwd-s3fs",
                          ".pgpass",
                          ".pypirc",
                          ".remote-sync.json",
                          ".rhistory",
                          ".s3cfg",
                          ".secret",
                          ".secrets",
                          ".secrets.json",
                          ".secrets.toml",
                          ".secrets.yaml",
                          ".secrets.yml",
                          ".smbcredentials",
                          ".terraformrc",
                          ".trc",
                          ".tugboat",
                          ".vault-password",
                          ".vault-token",
                          ".vault_pass",
                          ".vault_pass.txt",
                          ".vault_password",
                          ".viminfo",
                          ".zhistory",
                          "_netrc",
                          "access_tokens.db",
                          "accesskeys.csv",
                          "accesstokens.json",
                          "application_default_credentials.json",
                          "client_secret.json",
                          "client_secrets.json",
                          "configuration.user.xpl",
                          "consolehost_history.txt",
                          "credentials",
                          "credentials-config.json",
                          "credentials.csv",
                          "credentials.db",
                          "credentials.ini",
                          "credentials.json",
                          "credentials.properties",
                          "credentials.tfrc.json",
                          "credentials.toml",
                          "credentials.xml",
                          "credentials.yaml",
                          "credentials.yml",
                          "dbeaver-data-sources.xml",
                          "filezilla.xml",
                          "fish_history",
                          "jenkins.plugins.publish_over_ssh.bapsshpublisherplugin.xml",
                          "kaggle.json",
                          "key.properties",
                          "keystore.properties",
                          "kubeconfig",
                          "local.settings.json",
                          "localsettings.php",
                          "msal_token_cache.json",
                          "otr.private_key",
                          "password.txt",
                          "passwords.txt",
                          "pgpass.conf",
                          "proftpdpasswd",
                          "rclone.conf",
                          "recentservers.xml",
                          "robomongo.json",
                          "rootkey.csv",
                          "secret.json",
                          "secret_token.rb",
                          "secrets.ini",
                          "secrets.json",
                          "secrets.plist",
                          "secrets.properties",
                          "secrets.toml",
                          "secrets.yaml",
                          "secrets.yml",
                          "service-account.json",
                          "service_account.json",
                          "serviceaccount.json",
                          "serviceaccountkey.json",
                          "sftp-config.json",
                          "signing.properties",
                          "sitemanager.xml",
                          "terraform.rc",
                          "ventrilo_srv.ini",
                          "winscp.ini",
                          "wp-config.php",
                          "wpa_supplicant.conf"});

// Secrets only in a certain directory: ends of paths, and folders within them.
constexpr auto kSecretPaths = std::to_array<Names>({"/.aws/config",
                                                    "/.cf/config.json",
                                                    "/.codex/auth.json",
                                                    "/.composer/auth.json",
                                                    "/.config/containers/auth.json",
                                                    "/.config/doctl/config.yaml",
                                                    "/.config/hub",
                                                    "/.config/pip/pip.conf",
                                                    "/.dbt/profiles.yml",
                                                    "/.docker/config.json",
                                                    "/.fly/config.yml",
                                                    "/.idea/datasources.local.xml",
                                                    "/.idea/webservers.xml",
                                                    "/.irssi/config",
                                                    "/.kube/config",
                                                    "/.m2/settings-security.xml",
                                                    "/.m2/settings.xml",
                                                    "/.nuget/nuget/nuget.config",
                                                    "/.oci/config",
                                                    "/.pip/pip.conf",
                                                    "/.purple/accounts.xml",
                                                    "/.recon-ng/keys.db",
                                                    "/.snowsql/config",
                                                    "/.vscode/sftp.json",
                                                    "/app/config/parameters.yml",
                                                    "/app/etc/env.php",
                                                    "/app/etc/local.xml",
                                                    "/etc/gshadow",
                                                    "/etc/shadow",
                                                    "/gh/hosts.yml",
                                                    "/glab-cli/config.yml",
                                                    "/kubernetes/admin.conf",
                                                    "/sites/default/settings.php",
                                                    "/sops/age/keys.txt"});
constexpr auto kSecretFolders = std::to_array<Names>(
    {"/.aws/cli/", "/.aws/sso/", "/.config/configstore/", "/.config/gcloud/", "/.gnupg/",
     "/.mozilla/firefox/", "/.password-store/", "/.ssh/", "/.thunderbird/", "/etc/wireguard/",
     "/gcloud/legacy_credentials/", "/networkmanager/system-connections/"});

constexpr auto kSecretEndings = std::to_array<Names>({"-credentials.json",
                                                      ".agilekeychain",
                                                      ".bek",
                                                      ".env",
                                                      ".fve",
                                                      ".jks",
                                                      ".kdb",
                                                      ".kdbx",
                                                      ".key",
                                                      ".keychain",
                                                      ".keychain-db",
                                                      ".keypair",
                                                      ".keyring",
                                                      ".keystore",
                                                      ".keytab",
                                                      ".kubeconfig",
                                                      ".kwallet",
                                                      ".nmconnection",
                                                      ".ovpn",
                                                      ".p12",
                                                      ".p8",
                                                      ".pem",
                                                      ".pfx",
                                                      ".pkcs12",
                                                      ".pkcs8",
                                                      ".ppk",
                                                      ".psafe3",
                                                      ".publishsettings",
                                                      ".pubxml.user",
                                                      ".pvk",
                                                      ".rdp",
                                                      ".tblk",
                                                      ".tfplan",
                                                      ".tfstate",
                                                      ".tfvars",
                                                      ".tfvars.json",
                                                      "_dsa",
                                                      "_ecdsa",
                                                      "_ecdsa_sk",
                                                      "_ed25519",
                                                      "_ed25519_sk",
                                                      "_rsa"});

// Kinds of file with a beginning and an ending: variables, and keys that a console of Google names.
struct NamePattern {
  std::string_view begin;
  std::string_view end;
};
constexpr auto kSecretPatterns = std::to_array<NamePattern>({{".env.", ""},
                                                             {".env-", ""},
                                                             {".env_", ""},
                                                             {"client_secret_", ".json"},
                                                             {"service-account-", ".json"},
                                                             {".", "_history"},
                                                             {".", "-history"}});
constexpr std::array kSecretPart = {std::string_view("-firebase-adminsdk-"),
                                    std::string_view(".tfstate.")};

// What stands for the secrets of someone else: ".env.example", "terraform.tfvars.dist".
constexpr auto kSampleWords =
    std::to_array<Names>({"default", "defaults", "dist", "erb", "example", "in", "j2", "sample",
                          "schema", "template", "tmpl", "tpl"});

bool contains(std::span<const Names> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool ends_with_any(std::string_view name, std::span<const Names> endings) {
  return std::ranges::any_of(endings, [&](Names ending) { return name.ends_with(ending); });
}

bool has_part(std::string_view text, std::span<const Names> parts) {
  return std::ranges::any_of(parts, [&](Names part) { return text.contains(part); });
}

/// "x.example", "x-example", "x_example", or "example" before the whole ending of a secret.
bool is_sample(std::string_view name) {
  return std::ranges::any_of(kSampleWords, [name](Names word) {
    if (name.size() > word.size() && name.ends_with(word)) {
      return std::string_view(".-_").contains(name[name.size() - word.size() - 1]);
    }
    return name.starts_with(word) && contains(kSecretEndings, name.substr(word.size()));
  });
}

bool has_secret_name(std::string_view name) {
  return contains(kSecretNames, name) || ends_with_any(name, kSecretEndings) ||
         has_part(name, kSecretPart) ||
         std::ranges::any_of(kSecretPatterns, [name](const NamePattern& pattern) {
           return name.starts_with(pattern.begin) && name.ends_with(pattern.end);
         });
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
  const std::string_view name = std::string_view(lower).substr(lower.rfind('/') + 1);
  if (name.ends_with(".pub")) return false;
  if (has_part(lower, kSecretFolders)) return true;
  return !is_sample(name) && (has_secret_name(name) || ends_with_any(lower, kSecretPaths));
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
