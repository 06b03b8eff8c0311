#include "corpus/snapshot/builtin_ignore.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace quarry::corpus {
namespace {

auto among(std::initializer_list<std::string_view> names) {
  return [names = std::vector<std::string_view>(names)](std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  };
}

TEST(BuiltinIgnore, KnowsSecretsByName) {
  for (const char* name :
       {".env", ".env.local", ".ENV", "server.key", "cert.PEM", "id_rsa", "id_ed25519", ".npmrc",
        ".netrc", "credentials", "prod.tfstate", "prod.env", "secret.json", "secrets.json",
        "wp-config.php", ".aws_credentials", ".docker_config.json"}) {
    EXPECT_TRUE(is_secret_file(name)) << name;
  }
  for (const char* name :
       {".env.example", ".env.sample", "id_rsa.pub", "key", "keys.ts", "env.ts", "environment",
        "credentials.ts", ".envoy", "wp-config-sample.php", "secret.ts", "secret.yaml"}) {
    EXPECT_FALSE(is_secret_file(name)) << name;
  }
}

TEST(BuiltinIgnore, KnowsSecretsOfAHomeFolder) {
  for (const char* path : {".kube/config",
                           "me/.kube/config",
                           ".docker/config.json",
                           ".config/gcloud/configurations/a",
                           ".config/gcloud/credentials.db",
                           "gcloud/application_default_credentials.json",
                           ".config/gh/hosts.yml",
                           "gh/hosts.yml",
                           ".config/glab-cli/config.yml",
                           ".aws/credentials",
                           ".aws/config",
                           ".aws/sso/cache/a.json",
                           ".azure/accessTokens.json",
                           ".azure/msal_token_cache.json",
                           ".terraform.d/credentials.tfrc.json",
                           ".terraformrc",
                           ".ssh/config",
                           ".ssh/work",
                           ".gnupg/pubring.kbx",
                           ".password-store/a.gpg",
                           ".bash_history",
                           ".zsh_history",
                           ".python_history",
                           ".psql_history",
                           ".mysql_history",
                           ".node_repl_history",
                           ".local/share/fish/fish_history",
                           ".irb_history",
                           ".Rhistory",
                           ".config/rclone/rclone.conf",
                           ".my.cnf",
                           ".pgpass",
                           ".git-credentials",
                           ".netrc",
                           ".vault-token",
                           ".s3cfg",
                           "keys.kdbx",
                           "terraform.tfstate",
                           "terraform.tfstate.backup",
                           "secrets.yml",
                           "chart/secrets.yaml",
                           "Secrets.YML",
                           ".streamlit/secrets.toml"}) {
    EXPECT_TRUE(is_secret_file(path)) << path;
  }
  for (const char* path :
       {"config", "kube/config", ".docker/Dockerfile", ".kube/deployment.yaml", "docs/history.md",
        "gcloud/main.go", "gh/hosts.go", "hosts.yml", ".aws/task-definition.json", "ssh/config",
        ".ssh/id_rsa.pub", "secrets.yaml.example", "secrets.py", "secrets.md", "bash_history.c",
        "src/credentials.cpp", "config.json", "x.sshd/a"}) {
    EXPECT_FALSE(is_secret_file(path)) << path;
  }
}

// The members of three public lists of secret files, as far as a name tells them from source:
// github.com/eth0izzle/shhgit (config.yaml), github.com/michenriksen/gitrob (signatures.json), and
// the templates of github.com/github/gitignore (Terraform, Rails, Android, Symfony, VisualStudio);
// and files of github.com/Plazmaz/leaky-repo.
TEST(BuiltinIgnore, KnowsTheMembersOfPublicLists) {
  for (const char* path :
       {// Terraform
        "terraform.tfvars", "env/prod.tfvars", "prod.auto.tfvars", "terraform.tfvars.json",
        "PROD.TFVARS", "terraform.tfstate", "terraform.tfstate.backup",
        "terraform.tfstate.1700000000.backup", "release.tfplan", "terraform.rc",
        // keys and passwords of programs
        "deploy_rsa", "github_ed25519", "host_ecdsa", "server.keypair", "AuthKey_1.p8",
        "login.keychain", "safe.psafe3", "old.kdb", "disk.bek", "my.kwallet", "app.keystore",
        "work.ovpn", "work.tblk", "office.rdp", "site.publishsettings", "web.pubxml.user",
        "svc.keytab", "otr.private_key", "key.properties", "keystore.properties",
        // variables and secrets of an application
        ".env-local", ".env_prod", ".env.production", ".dev.vars", ".secrets", ".secrets.toml",
        "secrets.toml", "secrets.properties", "config/secret_token.rb", "LocalSettings.php",
        "config/master.key", "local.settings.json", "sites/default/settings.php", "app/etc/env.php",
        "app/config/parameters.yml", "credentials.xml", "credentials.yml", "credentials.csv",
        "rootkey.csv", "passwords.txt", "service-account.json", "service-account-7.json",
        "serviceAccountKey.json", "x-firebase-adminsdk-1.json",
        "client_secret_1.apps.googleusercontent.com.json", "my-credentials.json",
        "jenkins.plugins.publish_over_ssh.BapSshPublisherPlugin.xml",
        // programs of a user
        ".muttrc", ".msmtprc", ".esmtprc", ".tugboat", ".trc", ".ftpconfig", ".remote-sync.json",
        "sftp-config.json", ".vscode/sftp.json", ".idea/WebServers.xml", "filezilla.xml",
        "recentservers.xml", "winscp.ini", "dbeaver-data-sources.xml", "robomongo.json",
        "proftpdpasswd", "ventrilo_srv.ini", "etc/shadow", ".gem/credentials",
        ".config/doctl/config.yaml", ".config/hub", ".purple/accounts.xml", ".irssi/config",
        ".recon-ng/keys.db", ".mozilla/firefox/logins.json", ".m2/settings.xml", ".pip/pip.conf",
        ".oci/config", "cloud/.credentials", ".vault_pass.txt", ".mariadb_history",
        ".clickhouse-client-history", "prod.kubeconfig", "wg.nmconnection"}) {
    EXPECT_TRUE(is_secret_file(path)) << path;
  }
}

TEST(BuiltinIgnore, LeavesWhatIsSourceOrASample) {
  for (const char* path :
       {// samples
        ".env.example", ".env-example", ".env_sample", ".env.template", ".env.dist",
        ".env.defaults", ".env.tpl", ".env.j2", "example.env", "sample.env", "example.tfvars",
        "terraform.tfvars.example", "example.tfvars.json", "secrets.yml.example",
        "wp-config-sample.php", "credentials.json.sample", ".npmrc.template", "client.ovpn.example",
        "default.settings.php", "server.key.example", "id_rsa.pub", "deploy_rsa.pub",
        // source, documents, and what is public
        "main.tf", "variables.tf", "tfvars.go", "tfvars.md", "terraform.tfvars.md",
        ".terraform.lock.hcl", "tfstate.go", "secrets.md", "secrets.py", "secrets.go",
        "secrets_test.go", "secret.ts", "credentials.go", "credentials.cpp", "credentials.md",
        "password.go", "passwords.md", "password_reset.html", "keystore.go", "keyring.py",
        "kubeconfig.go", "history.md", "history", "bash_history.c", "settings.py", "settings.php",
        "database.yml", "schema.rb", "config.php", "carrierwave.rb", "knife.rb", "omniauth.rb",
        "pip.conf", "settings.xml", "hub", "config", "doctl/main.go", "accounts.xml",
        "service-account.yaml", "service-account-policy.md", "client_secret_test.go", "rsa",
        "test_rsa.py", "rsa.c", "environment.ts", "env.d.ts", "envoy.yaml", "release.asc",
        ".gitconfig", ".bashrc", ".secrets.baseline", "template.yaml", "firebase-adminsdk.md",
        "auth.json", "logins.json", "known_hosts.md", "shadow.css", "src/etc/shadow.ts"}) {
    EXPECT_FALSE(is_secret_file(path)) << path;
  }
}

TEST(BuiltinIgnore, SkipsNamesThatCannotBeMistaken) {
  EXPECT_TRUE(is_dependency_directory("node_modules"));
  EXPECT_TRUE(is_dependency_directory("__pycache__"));
  for (const char* name : {"build", "dist", "target", "vendor", "out", "bin", "lib", "venv"}) {
    EXPECT_FALSE(is_dependency_directory(name)) << name << " may be source";
  }
}

TEST(BuiltinIgnore, SkipsBuildOutputOnlyBesideItsBuildFile) {
  EXPECT_TRUE(is_build_directory("target", among({"Cargo.toml"})));
  EXPECT_TRUE(is_build_directory("build", among({"a", "CMakeLists.txt"})));
  EXPECT_FALSE(is_build_directory("target", among({"package.json"})));
  EXPECT_FALSE(is_build_directory("src", among({"Cargo.toml"})));
}

TEST(BuiltinIgnore, KnowsCachesByWhatTheyHold) {
  EXPECT_TRUE(is_marked_directory(among({"CACHEDIR.TAG"})));
  EXPECT_TRUE(is_marked_directory(among({"pyvenv.cfg", "bin"})));
  EXPECT_TRUE(is_marked_directory(among({"CMakeCache.txt"})));
  EXPECT_FALSE(is_marked_directory(among({"CMakeCache.txt", "CMakeLists.txt"})))
      << "a build within the sources";
  EXPECT_FALSE(is_marked_directory(among({"src"})));
}

TEST(BuiltinIgnore, JudgesAFetchedFileByItsPathAlone) {
  const PackRules rules;
  for (const char* path : {".git/config", "sub/.git", "a/node_modules/b/c.js", "a/.env"}) {
    EXPECT_NE(is_left_out(path, rules), LeftOut::kNo) << path;
  }
  for (const char* path : {"node_modules.md", "build/a.c", "git/config", ".gitignore"}) {
    EXPECT_EQ(is_left_out(path, rules), LeftOut::kNo) << path;
  }
  EXPECT_EQ(is_left_out("a/.env", rules), LeftOut::kSecret);
  EXPECT_EQ(is_left_out("a/.env", {.skip_secrets = false}), LeftOut::kNo);
  EXPECT_EQ(is_left_out("node_modules/a", {.skip_dependencies = false}), LeftOut::kNo);
}

}  // namespace
}  // namespace quarry::corpus
