#pragma once

#include "base/text.h"
#include "corpus/index/symbol_analyser.h"

#include <atomic>
#include <charconv>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quarry::corpus {

/// Analyses files whose names end in ".fake". A definition is a line of its kind, its name and the
/// number of its last line after it, indented by two spaces for each definition that encloses it:
///
///     class Parser 2
///       method parse 1
///
/// A line "# …" directly before belongs to it. A reference is a line "use name". A file with the
/// line "crash" fails, one with "gone" fails with kAnalyserUnavailable while is_gone. Thread-safe.
class FakeAnalyser final : public SymbolAnalyser {
 public:
  /// Changes the reader of all files, or of those whose paths begin with `prefix`.
  void set_results(std::string results, std::string prefix = "") {
    const std::lock_guard lock(mutex_);
    results_[std::move(prefix)] = std::move(results);
  }
  /// The paths that definitions() was called for.
  std::multiset<std::string> take_read() {
    const std::lock_guard lock(mutex_);
    return std::exchange(read_, {});
  }
  /// The paths that references() was called for.
  std::multiset<std::string> take_searched() {
    const std::lock_guard lock(mutex_);
    return std::exchange(searched_, {});
  }
  /// Called by definitions() before it reads; may block. Set before use.
  std::function<void(std::string_view path, const std::stop_token& stop)> on_read;
  std::atomic<bool> is_gone = true;

  [[nodiscard]] std::string reader_of(std::string_view path,
                                      std::string_view first_line) const override {
    if (!path.ends_with(".fake") && !first_line.starts_with("#!fake")) return {};
    const std::lock_guard lock(mutex_);
    std::string results = "1";
    for (const auto& [prefix, own] : results_) {
      if (path.starts_with(prefix)) results = own;
    }
    return "fake@" + results;
  }

  Result<std::vector<SymbolDefinition>> definitions(std::string_view path, std::string_view text,
                                                    std::stop_token stop) override {
    if (on_read) on_read(path, stop);
    {
      const std::lock_guard lock(mutex_);
      read_.emplace(path);
    }
    std::vector<SymbolDefinition> found;
    std::vector<std::int32_t> open;  // by depth
    std::uint32_t number = 0;
    bool comment = false;
    for (const std::string_view line : split(text, '\n')) {
      ++number;
      if (line == "crash") return Error{Code::kUnavailable, "the analyser ended: signal 11"};
      if (line == "gone" && is_gone) {
        return Error{Code::kUnavailable, "it cannot be started"}.tagged(kAnalyserUnavailable);
      }
      const auto words = split(trim(line), ' ');
      if (words.size() == 3 && words[0] != "#") {
        const std::size_t depth = line.find_first_not_of(' ') / 2;
        std::uint32_t more = 0;
        std::from_chars(words[2].data(), words[2].data() + words[2].size(), more);
        open.resize(depth);
        const std::int32_t parent = open.empty() ? -1 : open.back();
        open.push_back(static_cast<std::int32_t>(found.size()));
        found.push_back({std::string(words[0]), std::string(words[1]), number,
                         comment ? number - 1 : number, number + more, parent});
      }
      comment = line.starts_with('#');
    }
    return found;
  }

  Result<std::vector<std::uint32_t>> references(std::string_view path, std::string_view text,
                                                std::string_view name, std::stop_token) override {
    {
      const std::lock_guard lock(mutex_);
      searched_.emplace(path);
    }
    std::vector<std::uint32_t> found;
    std::uint32_t number = 0;
    for (const std::string_view line : split(text, '\n')) {
      ++number;
      if (line == "crash") return Error{Code::kUnavailable, "the analyser ended: signal 11"};
      if (trim(line) == "use " + std::string(name)) found.push_back(number);
    }
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> results_;
  std::multiset<std::string> read_;
  std::multiset<std::string> searched_;
};

}  // namespace quarry::corpus
