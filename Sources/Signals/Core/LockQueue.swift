#if !canImport(Darwin)
  public import Synchronization

  #if canImport(Glibc)
    import CLibrary
  #elseif canImport(Musl)
    import CLibrary
  #else
    #error("Signals requires a C library with threads")
  #endif

  /// The threads that sleep until a lock is free.
  @usableFromInline
  struct LockQueue: ~Copyable, @unchecked Sendable {  // Sound: POSIX mutexes and conditions are made for many threads.
    private struct Primitives {
      var mutex = pthread_mutex_t()
      var condition = pthread_cond_t()
    }

    /// They are in a heap cell, because their address must not change while threads sleep on them.
    private let primitives: UnsafeMutablePointer<Primitives>

    @usableFromInline
    init() {
      primitives = .allocate(capacity: 1)
      primitives.initialize(to: Primitives())
      pthread_mutex_init(&primitives.pointee.mutex, nil)
      pthread_cond_init(&primitives.pointee.condition, nil)
    }

    deinit {
      pthread_cond_destroy(&primitives.pointee.condition)
      pthread_mutex_destroy(&primitives.pointee.mutex)
      primitives.deinitialize(count: 1)
      primitives.deallocate()
    }

    /// Acquires the lock whose state is `state`, sleeping until it is free.
    ///
    /// This leaves the lock marked as contended, since other threads may be asleep. At worst, one wake-up finds no
    /// thread.
    @usableFromInline
    borrowing func wait(for state: borrowing Atomic<UInt8>) {
      // The locks of this package are held briefly, so the lock is usually free again before a thread could fall
      // asleep.
      for _ in 0..<32 {
        let attempt = state.compareExchange(
          expected: Lock.State.free, desired: Lock.State.held, successOrdering: .acquiring, failureOrdering: .relaxed
        )
        if attempt.exchanged { return }
      }
      pthread_mutex_lock(&primitives.pointee.mutex)
      while state.exchange(Lock.State.contended, ordering: .acquiring) != Lock.State.free {
        pthread_cond_wait(&primitives.pointee.condition, &primitives.pointee.mutex)
      }
      pthread_mutex_unlock(&primitives.pointee.mutex)
    }

    /// Wakes one sleeping thread.
    ///
    /// The mutex is acquired so that the wake-up cannot fall between a thread's check of the state and its sleep.
    @usableFromInline
    borrowing func wake() {
      pthread_mutex_lock(&primitives.pointee.mutex)
      pthread_cond_signal(&primitives.pointee.condition)
      pthread_mutex_unlock(&primitives.pointee.mutex)
    }
  }
#endif
