#include <algorithm>

#include <host/config/scalars.hpp>
#include <host/plugins/seal.hpp>
#include <radd/error.hpp>

namespace radd::loader {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t fields_shown_max = 3;

std::string value_text(const Json& value) {
    return config::shown(value.is_string() ? value.get<std::string>() : value.dump());
}

class Comparison {
public:
    void compare(const std::string& path, const Json& sealed, const Json& live) {
        if (sealed.is_object() && live.is_object()) return compare_fields(path, sealed, live);
        if (sealed.is_array() && live.is_array()) return compare_entries(path, sealed, live);
        if (sealed != live) tell(path, "sealed " + value_text(sealed), value_text(live));
    }

    [[nodiscard]] std::string take() {
        if (found_ > fields_shown_max)
            text_ += "; and " + std::to_string(found_ - fields_shown_max) + " more";
        return std::move(text_);
    }

private:
    void compare_fields(const std::string& path, const Json& sealed, const Json& live) {
        for (const auto& [name, value] : sealed.items()) {
            const auto other = live.find(name);
            if (other == live.end()) continue;
            compare(path + (path.empty() ? "" : ".") + config::shown_key(name), value, *other);
        }
    }

    void compare_entries(const std::string& path, const Json& sealed, const Json& live) {
        const std::size_t both = std::min(sealed.size(), live.size());
        for (std::size_t i = 0; i < both; ++i)
            compare(path + '[' + std::to_string(i) + ']', sealed[i], live[i]);
        if (sealed.size() != live.size())
            tell(path, std::to_string(sealed.size()) + " sealed", std::to_string(live.size()));
    }

    void tell(const std::string& path, const std::string& sealed, const std::string& live) {
        if (++found_ > fields_shown_max) return;
        text_ += (text_.empty() ? "" : "; ") + path + ": " + sealed + ", now " + live;
    }

    std::string text_;
    std::size_t found_ = 0;
};

}  // namespace

Json read_seal(std::string_view text) {
    const auto is_taken = [](int depth, Json::parse_event_t event, Json& /*value*/) {
        const bool goes_down =
            event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
        if (goes_down && static_cast<std::size_t>(depth) >= seal_depth_max)
            throw Error{"it is deeper than " + std::to_string(seal_depth_max) + " levels"};
        return true;
    };
    Json seal;
    try {
        seal = Json::parse(text.begin(), text.end(), is_taken);
    } catch (const Json::parse_error& failure) {
        throw Error{"it is no JSON from byte " + std::to_string(failure.byte) + " on"};
    } catch (const Json::exception&) {
        throw Error{"it has a number that is too large"};
    }
    if (!seal.is_object()) throw Error{"it is no JSON object"};
    return seal;
}

std::string seal_difference(const Json& sealed, const Json& live) {
    Comparison comparison;
    comparison.compare({}, sealed, live);
    return comparison.take();
}

std::optional<config::Problem> seal_problem(const std::optional<std::string>& seal,
                                            const std::string& live) {
    if (!seal) return std::nullopt;
    const std::string difference = seal_difference(read_seal(*seal), read_seal(live));
    if (difference.empty()) return std::nullopt;
    return config::Problem{
        .code = "E19",
        .message = "its manifest is not the one that its build has sealed: " + difference,
        .hint =
            "A manifest must not depend on the environment; if this one does not, rebuild the "
            "plugin"};
}

}  // namespace radd::loader
