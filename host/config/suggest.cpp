#include <algorithm>
#include <numeric>
#include <vector>

#include <host/config/suggest.hpp>

namespace radd::config {

std::size_t edit_distance(std::string_view left, std::string_view right) {
    // Three rows of the usual table: a swap looks back two.
    std::vector<std::size_t> before_last(right.size() + 1);
    std::vector<std::size_t> last(right.size() + 1);
    std::vector<std::size_t> row(right.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});

    for (std::size_t i = 1; i <= left.size(); ++i) {
        before_last.swap(last);
        last.swap(row);
        row[0] = i;
        for (std::size_t j = 1; j <= right.size(); ++j) {
            const std::size_t replaced = last[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
            const bool swapped =
                i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
            if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
        }
    }
    return row[right.size()];
}

namespace {

template <typename Name>
std::optional<std::string_view> nearest_of(std::string_view wrong, std::span<const Name> names) {
    if (wrong.size() > suggestion_bytes_max) return std::nullopt;
    const std::size_t distance_max = std::max<std::size_t>(1, wrong.size() / 3);

    std::optional<std::string_view> best;
    std::size_t best_distance = distance_max + 1;
    for (const Name& name : names) {
        if (name.size() > suggestion_bytes_max || name == wrong) continue;
        const std::size_t distance = edit_distance(wrong, name);
        if (distance >= best_distance) continue;
        best = name;
        best_distance = distance;
    }
    return best;
}

std::string question(std::optional<std::string_view> name) {
    return name ? "Did you mean '" + std::string{*name} + "'?" : std::string{};
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view wrong,
                                        std::span<const std::string_view> names) {
    return nearest_of(wrong, names);
}
std::optional<std::string_view> nearest(std::string_view wrong,
                                        std::span<const std::string> names) {
    return nearest_of(wrong, names);
}

std::string did_you_mean(std::string_view wrong, std::span<const std::string_view> names) {
    return question(nearest(wrong, names));
}
std::string did_you_mean(std::string_view wrong, std::span<const std::string> names) {
    return question(nearest(wrong, names));
}

}  // namespace radd::config
