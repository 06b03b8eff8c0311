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
