#pragma once

/// Requests by route, method and status, and how long they took.

#include <chrono>
#include <compare>
#include <cstddef>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

namespace radd::monitoring {

/// [any-thread]
class HttpSeries {
public:
    /// Far above routes times statuses: past it a caller gives paths for patterns, and what is new
    /// is counted under the route "other".
    static constexpr std::size_t series_max = 5000;

    HttpSeries();

    void observe(std::string_view route,
                 std::string_view method,
                 int status,
                 std::chrono::nanoseconds took);

    [[nodiscard]] std::vector<prometheus::MetricFamily> collect() const {
        return registry_.Collect();
    }

private:
    using Key = std::tuple<std::string, std::string, int>;
    using View = std::tuple<std::string_view, std::string_view, int>;
    struct Less {
        using is_transparent = void;
        template <typename Left, typename Right>
        bool operator()(const Left& left, const Right& right) const {
            return View{left} < View{right};
        }
    };
    struct Series {
        prometheus::Counter* requests;
        prometheus::Histogram* seconds;
    };
    [[nodiscard]] Series find(const View& wanted);
    [[nodiscard]] Series add(const View& wanted);

    prometheus::Registry registry_;
    prometheus::Family<prometheus::Counter>& requests_;
    prometheus::Family<prometheus::Histogram>& seconds_;
    std::shared_mutex mutex_;
    std::map<Key, Series, Less> known_;
};

}  // namespace radd::monitoring
