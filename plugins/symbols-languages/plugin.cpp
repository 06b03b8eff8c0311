#include "symbols_tree_sitter/analyser.h"

#include <quarry/draft/symbols.hpp>
#include <quarry/plugin.hpp>

namespace quarry::symbols_tree_sitter {

/// Of the plugin's language, whose name the build sets.
const Language& QUARRY_LANGUAGE();

}  // namespace quarry::symbols_tree_sitter

namespace {

using quarry::Call;
using quarry::Outcome;

class LanguageAnalyser {
 public:
  static Outcome<std::unique_ptr<LanguageAnalyser>> create(quarry::Host, std::string_view) {
    auto analyser = quarry::symbols_tree_sitter::Analyser::create(
        quarry::symbols_tree_sitter::QUARRY_LANGUAGE());
    if (!analyser) return analyser.failure();
    return std::make_unique<LanguageAnalyser>(std::move(*analyser));
  }
  explicit LanguageAnalyser(std::unique_ptr<quarry::symbols_tree_sitter::Analyser> analyser)
      : analyser_(std::move(analyser)) {}

  std::string describe() { return analyser_->describe(); }
  Outcome<std::string> definitions(const Call& call, std::string_view, std::string_view text) {
    return analyser_->definitions(call, text);
  }
  Outcome<std::string> references(const Call& call, std::string_view, std::string_view text,
                                  std::string_view name) {
    return analyser_->references(call, text, name);
  }

 private:
  std::unique_ptr<quarry::symbols_tree_sitter::Analyser> analyser_;
};

}  // namespace

QUARRY_PLUGIN("io.quarry.symbols-" QUARRY_COMPONENT, QUARRY_VERSION,
              quarry::symbols<LanguageAnalyser>(QUARRY_COMPONENT))
