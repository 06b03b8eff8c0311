#include "resource-local/folders.h"

#include <quarry/percent.hpp>
#include <quarry/tree_rules.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <unistd.h>

#include <linux/openat2.h>
#include <nlohmann/json.hpp>
#include <sys/syscall.h>

namespace quarry::resource_local {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::array<std::string_view, 6> kSystemFolders = {"/proc", "/sys", "/dev",
                                                            "/etc",  "/run", "/boot"};
constexpr std::array<std::string_view, 13> kKeyFolders = {
    ".ssh", ".gnupg", ".aws",     ".azure",    ".kube",      ".docker", ".password-store",
    ".pki", "gcloud", "keyrings", ".keychain", ".1password", ".vault"};

bool is_beneath(const fs::path& path, const fs::path& folder) {
  const auto [rest, unused] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return rest == folder.end();
}

/// The reason that a real path must never be read; empty when it may be.
std::string reason_against(const fs::path& path) {
  if (path == "/") return "is the whole file system";
  for (const std::string_view folder : kSystemFolders) {
    if (is_beneath(path, folder)) return "lies in " + std::string(folder);
  }
  for (const fs::path& part : path) {
    if (std::ranges::find(kKeyFolders, part.native()) != kKeyFolders.end()) {
      return "lies in " + part.native() + ", which holds keys";
    }
  }
  return {};
}

Failure refused(const fs::path& path, const std::string& reason) {
  return field_failure("/path", "is refused: " + path.native() + " " + reason,
                       "If it is intended, add the folder to local_roots in the configuration.");
}

Failure not_readable(std::string_view path, const std::string& reason) {
  return field_failure(
      "/path", "is no folder or file that can be read: " + std::string(path) + ": " + reason,
      "Give the absolute path of a folder or file on this machine.");
}

/// The real path of `root`; empty when there is no such folder.
fs::path real_of(const fs::path& root) {
  std::error_code failed;
  const fs::path real = fs::canonical(root, failed);
  return failed ? fs::path() : real;
}

/// The given roots that exist, by their real paths.
std::vector<fs::path> real_roots(const std::vector<fs::path>& roots) {
  std::vector<fs::path> real;
  for (const fs::path& root : roots) {
    if (fs::path path = real_of(root); !path.empty()) real.push_back(std::move(path));
  }
  return real;
}

/// A broad root does not permit a folder of keys; a root inside such a folder does.
bool permits_key_folders(const fs::path& root) {
  return root != "/" && !reason_against(root).empty();
}

std::optional<Failure> check_policy(const fs::path& real, const Policy& policy) {
  const std::string reason = reason_against(real);
  if (!policy.roots && reason.empty()) return std::nullopt;
  if (!policy.roots) return refused(real, reason);
  bool beneath_a_root = false;
  for (const fs::path& root : real_roots(*policy.roots)) {
    if (!is_beneath(real, root)) continue;
    if (reason.empty() || permits_key_folders(root)) return std::nullopt;
    beneath_a_root = true;
  }
  return refused(real, beneath_a_root ? reason : "lies beneath none of local_roots");
}

/// The same failure for projects in every case: the folder is missing, is a file or is not
/// permitted.
Failure not_permitted() {
  return field_failure("/path", "is no folder that may be used with a token",
                       "It must be the absolute path of a folder beneath one of local_roots; ask "
                       "the owner of this server.");
}

/// The real path of the directory `path` beneath `root`, resolved without accessing anything
/// outside it, even through links; empty when there is none.
fs::path real_beneath(const fs::path& root, const fs::path& path) {
  const int top = ::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (top < 0) return {};
  open_how how{};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const fs::path rest = path.lexically_relative(root);
  const auto found = static_cast<int>(::syscall(SYS_openat2, top, rest.c_str(), &how, sizeof how));
  const bool is_absent = found < 0 && errno == ENOSYS;
  ::close(top);
  if (is_absent) {  // in a sandbox of an older kernel
    fs::path real = real_of(path);
    return is_beneath(real, real_of(root)) ? real : fs::path();
  }
  if (found < 0) return {};
  std::error_code failed;
  fs::path real = fs::read_symlink("/proc/self/fd/" + std::to_string(found), failed);
  ::close(found);
  return failed ? fs::path() : real;
}

/// "/a/./b/" as "/a/b".
fs::path plain(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

Outcome<fs::path> check_for_project(const fs::path& path, const Policy& policy) {
  const fs::path folder = plain(path);
  for (const fs::path& root : policy.roots.value_or(std::vector<fs::path>())) {
    for (const fs::path& as_named : {plain(root), real_of(root)}) {
      if (as_named.empty() || !is_beneath(folder, as_named)) continue;
      const fs::path real = real_beneath(as_named, folder);
      const bool is_utf8 = detail::is_utf8(real.native());
      if (!real.empty() && is_utf8 && !check_policy(real, policy)) return real;
    }
  }
  return not_permitted();
}

bool is_readable(const fs::path& path) {
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  return fs::is_directory(status) || fs::is_regular_file(status);
}

/// The path in a file URL of this machine (RFC 8089).
std::optional<std::string> path_of_url(std::string_view reference) {
  for (const std::string_view beginning : {"file:///", "file://localhost/"}) {
    if (!reference.starts_with(beginning)) continue;
    return from_percent_encoded(reference.substr(beginning.size() - 1));
  }
  return std::nullopt;
}

fs::path expand(std::string_view path, const fs::path& home) {
  if (path == "~") return home;
  if (path.starts_with("~/")) return home / path.substr(2);
  return fs::path(path);
}

}  // namespace

Outcome<Policy> read_policy(std::string_view configuration, fs::path home) {
  Policy policy{std::nullopt, std::move(home)};
  const Json json = Json::parse(configuration, nullptr, false);
  if (!json.is_object()) {
    return Failure{QUARRY_INVALID_ARGUMENT, "the configuration must be an object", {}, {}};
  }
  policy.for_projects = json.value("acts_for", Json()) == "project";
  const auto roots = json.find("local_roots");
  if (roots == json.end() || roots->is_null()) return policy;
  const auto is_folder = [](const Json& root) {
    return root.is_string() && (root.get_ref<const std::string&>().starts_with('/') ||
                                root.get_ref<const std::string&>().starts_with('~'));
  };
  if (!roots->is_array() || !std::ranges::all_of(*roots, is_folder)) {
    return field_failure("/local_roots", "must be a list of absolute folders");
  }
  policy.roots.emplace();
  for (const Json& root : *roots) {
    policy.roots->push_back(expand(root.get_ref<const std::string&>(), policy.home));
  }
  return policy;
}

Outcome<fs::path> check_path(std::string_view path, const Policy& policy) {
  if (policy.for_projects) {
    const bool whole = path.starts_with('/') && path.find('\0') == path.npos;
    return whole ? check_for_project(path, policy) : not_permitted();
  }
  if (path.find('\0') != path.npos) return not_readable("", "it contains a zero byte");
  const fs::path given = expand(path, policy.home);
  if (!given.is_absolute()) return not_readable(path, "it is not absolute");
  std::error_code failed;
  const fs::path real = fs::canonical(given, failed);
  if (failed) return not_readable(path, failed.message());
  if (!detail::is_utf8(real.native())) {  // JSON, in which it is passed on, is
    return not_readable(path, "its real path is not UTF-8");
  }
  if (!is_readable(real)) return not_readable(path, "it is neither a directory nor a file");
  if (auto failure = check_policy(real, policy)) return *failure;
  return real;
}

std::optional<fs::path> path_of_reference(std::string_view reference, const Policy& policy) {
  if (const auto path = path_of_url(reference)) return path_of_reference(*path, policy);
  constexpr std::array<std::string_view, 4> kBeginnings = {"./", "../", "/", "~/"};
  const bool whole = reference == "." || reference == ".." || reference == "~";
  const bool begins = std::ranges::any_of(
      kBeginnings, [&](std::string_view beginning) { return reference.starts_with(beginning); });
  if ((!whole && !begins) || reference.find('\0') != reference.npos) return std::nullopt;
  if (policy.for_projects) {
    const auto folder = check_path(reference, policy);
    return folder ? std::optional(*folder) : std::nullopt;
  }
  std::error_code failed;
  fs::path path = fs::absolute(expand(reference, policy.home), failed).lexically_normal();
  if (failed || !detail::is_utf8(path.native()) || !is_readable(path)) return std::nullopt;
  return path;
}

}  // namespace quarry::resource_local
