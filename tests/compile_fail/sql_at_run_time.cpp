#include <string>

#include "preamble.hpp"

auto refused(const std::string& text) {
    return radd::Sql{text.c_str()};
}
