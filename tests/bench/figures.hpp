#pragma once

/// What is measured, a function for each group of rows of the table.

namespace radd::bench {

/// Not durable: without waiting for the disk, whose share hides ours.
void compare_emit(int threads, int rows, bool is_durable);
void compare_drain();
void measure_fan_out();
void measure_latency();
void measure_idle();
void measure_memory();
void measure_deliveries();
void measure_host();
void measure_search();
void measure_feed();

}  // namespace radd::bench
