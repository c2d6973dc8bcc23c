#include <algorithm>
#include <cctype>

#include <host/config/suggest.hpp>
#include <host/plugins/validate.hpp>

namespace radd::loader {
namespace {

std::string lower(std::string_view text) {
    std::string result{text};
    std::ranges::transform(
        result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

}  // namespace

std::string suggestion(std::string_view wrong, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        if (name != wrong && lower(name) == lower(wrong))
            return "Did you mean '" + name + "'? Upper and lower case differ";
    }
    return config::did_you_mean(wrong, names);
}

}  // namespace radd::loader
