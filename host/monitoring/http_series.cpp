#include <mutex>

#include <host/monitoring/family.hpp>
#include <host/monitoring/http_series.hpp>

namespace radd::monitoring {
namespace {

const prometheus::Histogram::BucketBoundaries bounds_s{
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};

}  // namespace

HttpSeries::HttpSeries()
    : requests_{prometheus::BuildCounter()
                    .Name("radd_http_requests_total")
                    .Help("Requests answered, by the pattern of their route.")
                    .Register(registry_)},
      seconds_{prometheus::BuildHistogram()
                   .Name("radd_http_request_seconds")
                   .Help("From a request read whole to its answer.")
                   .Register(registry_)} {}

void HttpSeries::observe(std::string_view route,
                         std::string_view method,
                         int status,
                         std::chrono::nanoseconds took) {
    const Series series = find({route, method, status});
    series.requests->Increment();
    series.seconds->Observe(std::chrono::duration<double>{took}.count());
}

HttpSeries::Series HttpSeries::find(const View& wanted) {
    {
        const std::shared_lock lock{mutex_};
        if (const auto found = known_.find(wanted); found != known_.end()) return found->second;
    }
    const std::scoped_lock lock{mutex_};
    if (const auto found = known_.find(wanted); found != known_.end()) return found->second;
    if (known_.size() < series_max) return add(wanted);
    const View other{"other", "other", 0};
    const auto found = known_.find(other);
    return found != known_.end() ? found->second : add(other);
}

HttpSeries::Series HttpSeries::add(const View& wanted) {
    const auto& [route, method, status] = wanted;
    const std::map<std::string, std::string> where{{"route", valid_utf8(route)},
                                                   {"method", valid_utf8(method)}};
    auto with_status = where;
    with_status.emplace("status", std::to_string(status));
    const Series series{.requests = &requests_.Add(with_status),
                        .seconds = &seconds_.Add(where, bounds_s)};
    known_.emplace(Key{route, method, status}, series);
    return series;
}

}  // namespace radd::monitoring
