#ifndef COUNTING_RUNTIME_H
#define COUNTING_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

/// What the process did while counting was on.
typedef struct {
  int64_t allocations;
  int64_t deallocations;
  /// The sizes of the allocations, as the allocator rounded them.
  int64_t allocatedBytes;
  int64_t deallocatedBytes;
  int64_t retains;
  int64_t releases;
} counting_totals;

/// Sets all counters to zero and starts to count, on every thread.
void counting_start(void);

/// Stops counting.
counting_totals counting_stop(void);

/// Whether allocations and reference counts can be counted on this system.
bool counting_is_supported(void);

#endif
