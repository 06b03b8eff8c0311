#pragma once

#include "base/error.h"
#include "services/secret_forms.h"

#include <atomic>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::services {

/// Removes the values of known secrets from texts, however they are encoded there. What leaves the
/// host passes it once: log lines, results and errors of the engine, and events of questions, but
/// for what a model says. [any thread]
class Redactor {
 public:
  /// Secrets that may be words or numbers of any text: those of 4 to 7 bytes, and those of 8 to 11
  /// that are letters alone or digits alone ("postgres"). They are replaced in errors and log
  /// lines, where no letter or digit adjoins them, and are left in results, which have names and
  /// text of files. Shorter ones are never replaced.
  enum class Words { kReplaced, kLeft };

  /// Replaces `value` with "[secret NAME]" from now on.
  void add(std::string_view name, std::string_view value);
  /// `text` of an error or a log line without any known value.
  [[nodiscard]] std::string redact(std::string_view text) const;
  /// The same failure, its message, hint, details and facts without any known value.
  [[nodiscard]] Error redact(Error error) const;
  /// A JSON text without any known value in its strings; the rest is as it was.
  [[nodiscard]] std::string redact_json(std::string json, Words words = Words::kLeft) const;

 private:
  [[nodiscard]] std::vector<FoundSecret> find(std::string_view text, Words words) const;
  [[nodiscard]] std::string replace(std::string_view text, Words words) const;

  struct Word {
    std::string value;
    std::size_t secret;
  };
  std::atomic<bool> any_ = false;
  mutable std::shared_mutex mutex_;
  std::vector<std::string> values_;        ///< of all secrets
  std::vector<std::string> replacements_;  ///< of the same
  SecretForms forms_;
  std::vector<Word> words_;
};

}  // namespace quarry::services
