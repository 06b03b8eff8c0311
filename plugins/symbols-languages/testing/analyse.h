/// Analysers of all languages for tests.
#ifndef QUARRY_SYMBOLS_LANGUAGES_TESTING_ANALYSE_H
#define QUARRY_SYMBOLS_LANGUAGES_TESTING_ANALYSE_H

#include "symbols_tree_sitter/analyser.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::symbols_tree_sitter::testing {

std::vector<std::string> all_languages();

/// An analyser of a language, "c_sharp"; ends the program if it cannot be created.
std::unique_ptr<Analyser> make_analyser(std::string_view language, const Limits& limits);

/// The one of a language that tests share, with a fifth of a second of processor time a call; ends
/// the program if it cannot be created.
const Analyser& analyser(std::string_view language);

/// The same with an hour, for texts that are read to their end, and for other limits.
const Analyser& patient_analyser(std::string_view language);

/// The JSON of the definitions.
std::string definitions(std::string_view language, std::string_view text);

/// A line for each definition: "kind name @line first-last <parent's name>".
std::string outline(std::string_view language, std::string_view text);

/// The JSON of the references.
std::string references(std::string_view language, std::string_view text, std::string_view name);

/// A call that is not over.
quarry_call endless_call();

}  // namespace quarry::symbols_tree_sitter::testing

#endif
