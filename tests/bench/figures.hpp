#pragma once

/// What is measured, a function for each group of rows of the report.

#include <tests/bench/report.hpp>

namespace radd::bench {

void compare_emit(Report& report);
void compare_drain(Report& report);
void measure_catch_up(Report& report);
void compare_projection(Report& report);
void measure_fan_out(Report& report);
void measure_latency(Report& report);
void measure_idle(Report& report);
void measure_memory(Report& report);
void measure_deliveries(Report& report);
void measure_webhooks(Report& report);
void measure_host(Report& report);
void measure_web(Report& report);
void measure_search(Report& report);
void measure_feed(Report& report);
void measure_bulk(Report& report);
void measure_large_bulk(Report& report);  ///< 100,000 issues: for many minutes.

}  // namespace radd::bench
