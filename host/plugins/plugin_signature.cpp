#include "plugins/plugin_signature.h"

#include "base/file.h"
#include "plugins/compose.h"
#include "plugins/plugin_files.h"

#include <algorithm>

namespace quarry::plugins {
namespace {

constexpr std::string_view kUnsignedHint =
    "ask its author for a signature by minisign; --unsigned installs it nevertheless";

Error denied(const Manifest& manifest, std::string_view cause, std::string_view hint) {
  return {Code::kPermissionDenied, compose("plugin {} is not installed: {}", manifest.id, cause),
          std::string(hint)};
}

/// A signature that does not count, since no trusted key made it: refused, or permitted.
Result<PluginSignature> untrusted(const Manifest& manifest, const std::string& cause,
                                  bool may_be_unsigned) {
  if (!may_be_unsigned) return denied(manifest, cause, kUnsignedHint);
  return PluginSignature{.key = {}, .comment = {}, .words = cause, .overridden = true};
}

Result<PluginSignature> verify(const Manifest& manifest, const MinisignKey& key,
                               const MinisignSignature& signature) {
  const auto message = read_file(manifest.path, kMaxManifest);
  if (!message) return message.error();
  if (!verify_minisign(key, signature, *message)) {
    return denied(manifest,
                  "its signature is invalid: it was made for another manifest, or changed",
                  "fetch the plugin again from its author");
  }
  return PluginSignature{
      .key = key.text,
      .comment = signature.trusted_comment,
      .words = compose("valid, of key {} (\"{}\")", key.text, signature.trusted_comment)};
}

}  // namespace

Result<PluginSignature> check_signature(const Manifest& manifest,
                                        const std::vector<MinisignKey>& trusted,
                                        bool may_be_unsigned) {
  const auto file = manifest.path.parent_path() / kSignatureFile;
  const auto text = read_file(file, kMaxSignature);
  if (!text && text.error().code != Code::kNotFound) return text.error();
  if (!text && trusted.empty()) return PluginSignature{.words = "none"};
  if (!text) return untrusted(manifest, "it has no signature", may_be_unsigned);
  const auto signature = parse_minisign_signature(*text);
  if (!signature)
    return Error(signature.error()).in(compose("plugin {}: {}", manifest.id, kSignatureFile));
  const auto id = minisign_key_id(signature->key_id);
  if (trusted.empty()) {
    return PluginSignature{
        .words = compose("of key {}, not verified: [plugins] has no trusted_keys", id)};
  }
  const auto key = std::ranges::find(trusted, signature->key_id, &MinisignKey::id);
  if (key != trusted.end()) return verify(manifest, *key, *signature);
  return untrusted(manifest,
                   compose("it is signed by key {}, which trusted_keys does not have", id),
                   may_be_unsigned);
}

}  // namespace quarry::plugins
