#include <set>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <host/web/json_body.hpp>
#include <radd/percent.hpp>

namespace radd::web {
namespace {

/// Listens to the parser and stops it at the first fault.
class Inspector final : public nlohmann::json_sax<nlohmann::json> {
public:
    explicit Inspector(std::size_t depth_max) : depth_max_{depth_max} {}

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t& text) override { return has_no_nul(text); }
    bool binary(binary_t&) override { return false; }

    bool start_object(std::size_t) override { return enter(); }
    bool end_object() override { return leave(); }
    bool start_array(std::size_t) override { return enter(); }
    bool end_array() override { return leave(); }

    bool key(string_t& name) override {
        Level& level = levels_.back();
        level.member = name;
        if (!level.keys.insert(name).second) return refuse("is given twice", field());
        return has_no_nul(name);
    }

    bool parse_error(std::size_t at,
                     const std::string& /*last_token*/,
                     const nlohmann::json::exception& error) override {
        constexpr int out_of_range = 406;
        if (error.id == out_of_range)
            return refuse("holds a number out of range; send it as text", {});
        // The parser quotes the input in its message, which may be a secret: say only where.
        return refuse("is not JSON at byte " + std::to_string(at), {});
    }

    std::optional<JsonFault> fault;

private:
    struct Level {
        std::set<std::string> keys{};
        std::string member{};  ///< Where we are; empty in an array.
    };

    bool refuse(std::string problem, std::string field_name) {
        fault = JsonFault{std::move(problem), std::move(field_name)};
        return false;
    }
    [[nodiscard]] std::string field() const {
        std::string name;
        for (const Level& level : levels_) {
            if (level.member.empty()) continue;
            name.append(name.empty() ? "" : ".").append(level.member);
        }
        return name;
    }
    bool has_no_nul(const std::string& text) {
        if (text.find('\0') == std::string::npos) return true;
        const auto name = field();
        return refuse("holds a NUL character; remove it", name.empty() ? "body" : name);
    }
    bool enter() {
        levels_.emplace_back();
        if (levels_.size() <= depth_max_) return true;
        return refuse("is nested deeper than " + std::to_string(depth_max_) + " levels", {});
    }
    bool leave() {
        levels_.pop_back();
        return true;
    }

    std::size_t depth_max_;
    std::vector<Level> levels_;
};

}  // namespace

std::optional<JsonFault> find_json_fault(std::string_view text, std::size_t depth_max) {
    // The parser takes a NUL byte for the end of its input, and steps over a byte order mark.
    if (const auto nul = text.find('\0'); nul != std::string_view::npos)
        return JsonFault{"is not JSON at byte " + std::to_string(nul + 1)};
    if (text.starts_with("\xEF\xBB\xBF")) return JsonFault{"is not JSON at byte 1"};
    if (const auto at = first_invalid_utf8(text))
        return JsonFault{"is not UTF-8 at byte " + std::to_string(*at + 1)};
    Inspector inspector{depth_max};
    if (nlohmann::json::sax_parse(text, &inspector)) return std::nullopt;
    return std::move(inspector.fault);
}

}  // namespace radd::web
