#define _GNU_SOURCE
#include "CountingRuntime.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

static atomic_bool isCounting;
static _Atomic int64_t allocations, deallocations, allocatedBytes, deallocatedBytes, retains, releases;

static void add(_Atomic int64_t *counter, int64_t amount) {
  atomic_fetch_add_explicit(counter, amount, memory_order_relaxed);
}

static bool counts(void) {
  return atomic_load_explicit(&isCounting, memory_order_relaxed);
}

#if defined(__linux__) && defined(__GLIBC__)
#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>

// The names that the C library gives its own allocator: the ones below take the place of its public functions, for the
// executable and for every library in the process.
extern void *__libc_malloc(size_t size);
extern void __libc_free(void *block);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static void *allocated(void *block) {
  if (block && counts()) {
    add(&allocations, 1);
    add(&allocatedBytes, (int64_t)malloc_usable_size(block));
  }
  return block;
}

static void deallocating(void *block) {
  if (block && counts()) {
    add(&deallocations, 1);
    add(&deallocatedBytes, (int64_t)malloc_usable_size(block));
  }
}

void *malloc(size_t size) { return allocated(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return allocated(__libc_calloc(count, size)); }

void free(void *block) {
  deallocating(block);
  __libc_free(block);
}

void *realloc(void *block, size_t size) {
  deallocating(block);
  return allocated(__libc_realloc(block, size));
}

void *memalign(size_t alignment, size_t size) { return allocated(__libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) { return allocated(__libc_memalign(alignment, size)); }

int posix_memalign(void **block, size_t alignment, size_t size) {
  void *result = allocated(__libc_memalign(alignment, size));
  if (!result) return ENOMEM;
  *block = result;
  return 0;
}

// Retains and releases are counted where they are called: these take the place of the runtime's functions, which the
// dynamic linker finds only second. The runtime's own hooks for this would do, if they did not crash on Linux as soon as
// a small string is copied (Swift 6.3).
static void *next(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (!function) abort();
  return function;
}

void *swift_retain(void *object) {
  static void *(*runtime)(void *);
  if (!runtime) runtime = next("swift_retain");
  if (object && counts()) add(&retains, 1);
  return runtime(object);
}

void *swift_retain_n(void *object, uint32_t count) {
  static void *(*runtime)(void *, uint32_t);
  if (!runtime) runtime = next("swift_retain_n");
  if (object && counts()) add(&retains, count);
  return runtime(object, count);
}

void swift_release(void *object) {
  static void (*runtime)(void *);
  if (!runtime) runtime = next("swift_release");
  if (object && counts()) add(&releases, 1);
  runtime(object);
}

void swift_release_n(void *object, uint32_t count) {
  static void (*runtime)(void *, uint32_t);
  if (!runtime) runtime = next("swift_release_n");
  if (object && counts()) add(&releases, count);
  runtime(object, count);
}

bool counting_is_supported(void) { return true; }
#else
bool counting_is_supported(void) { return false; }
#endif

void counting_start(void) {
  _Atomic int64_t *counters[] = {&allocations, &deallocations, &allocatedBytes, &deallocatedBytes, &retains, &releases};
  for (size_t index = 0; index < sizeof counters / sizeof *counters; index++) atomic_store(counters[index], 0);
  atomic_store(&isCounting, true);
}

counting_totals counting_stop(void) {
  atomic_store(&isCounting, false);
  return (counting_totals){allocations, deallocations, allocatedBytes, deallocatedBytes, retains, releases};
}
