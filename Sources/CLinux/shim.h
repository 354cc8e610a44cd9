// The calls of Linux that Swift's modules of the C library leave out.
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

// Sleeps until `word` is woken, unless it no longer contains `expected`. It may also return for no reason.
static inline void futexWait(const uint32_t *word, uint32_t expected) {
  enum { waitPrivate = 128 };
  syscall(SYS_futex, word, waitPrivate, expected, (void *)0, (void *)0, 0);
}

// Wakes at most `count` of the threads that sleep on `word`.
static inline void futexWake(const uint32_t *word, int32_t count) {
  enum { wakePrivate = 129 };
  syscall(SYS_futex, word, wakePrivate, count, (void *)0, (void *)0, 0);
}
