// The calls of Linux that Swift's modules of the C library leave out.
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

// Events for which epoll waits. Some C libraries declare their parts as an enumeration, others as numbers of several types.
static const uint32_t epollReadableOnce = EPOLLIN | EPOLLONESHOT;
static const uint32_t epollWritableOnce = EPOLLOUT | EPOLLONESHOT;

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

typedef void (*SignalHandler)(int number, siginfo_t *info, void *context);

// Installs a handler for a signal, and returns the earlier one in `earlier`.
static inline int installSignalHandler(int number, SignalHandler handler, struct sigaction *earlier) {
  struct sigaction action = {0};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  return sigaction(number, &action, earlier);
}

// Installs the earlier handler again, unless another one has been installed over `handler`.
static inline void restoreSignalHandler(int number, SignalHandler handler, const struct sigaction *earlier) {
  struct sigaction current;
  if (sigaction(number, NULL, &current) != 0) return;
  if ((current.sa_flags & SA_SIGINFO) && current.sa_sigaction == handler) sigaction(number, earlier, NULL);
}

// Calls the earlier handler, unless it is the default action or ignores the signal.
static inline void callSignalHandler(const struct sigaction *earlier, int number, siginfo_t *info, void *context) {
  if (earlier->sa_flags & SA_SIGINFO) {
    if (earlier->sa_sigaction != NULL) earlier->sa_sigaction(number, info, context);
  } else if (earlier->sa_handler != SIG_DFL && earlier->sa_handler != SIG_IGN) {
    earlier->sa_handler(number);
  }
}
