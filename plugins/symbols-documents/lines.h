/// Lines and blanks of a text.
#ifndef QUARRY_SYMBOLS_DOCUMENTS_LINES_H
#define QUARRY_SYMBOLS_DOCUMENTS_LINES_H

#include <string_view>
#include <vector>

namespace quarry::symbols_documents {

/// The lines without their ends; views into `text`.
std::vector<std::string_view> lines_of(std::string_view text);

/// Without white space at both ends.
std::string_view without_blanks(std::string_view text);

}  // namespace quarry::symbols_documents

#endif
