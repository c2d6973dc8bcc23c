#include "text.hpp"

#include <radd/error.hpp>
#include <radd/terminal_text.hpp>

namespace sla {

void check_text(const std::string& field, std::string_view text, Length length) {
    std::size_t points = 0;
    for (std::size_t at = 0; at < text.size(); ++points) {
        const std::size_t bytes = radd::terminal::sequence_length(text.substr(at));
        if (bytes == 0 || text[at] == '\0')
            throw radd::InvalidInput{
                field, "byte " + std::to_string(at) + " is a NUL or not UTF-8; remove it"};
        at += bytes;
    }
    if (length.min > 0 && text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        throw radd::InvalidInput{field, "is empty; give it a text"};
    if (points < length.min || points > length.max)
        throw radd::InvalidInput{field,
                                 "has " + std::to_string(points) + " characters; allowed are " +
                                     std::to_string(length.min) + " to " +
                                     std::to_string(length.max)};
}

}  // namespace sla
