#if !canImport(Darwin)
  public import Synchronization

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #else
    #error("Signals needs a C library with threads")
  #endif

  /// Where threads sleep until a lock is free.
  @usableFromInline
  struct LockQueue: ~Copyable, @unchecked Sendable {  // Sound: POSIX mutexes and conditions are made for many threads.
    private struct Primitives {
      var mutex = pthread_mutex_t()
      var condition = pthread_cond_t()
    }

    /// The address must not change while threads sleep on it, hence a heap cell.
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

    /// Takes the lock whose state is `state`, sleeping until it is free.
    ///
    /// Whoever comes through here leaves the lock marked as contended, since others may be asleep; at worst, one
    /// wake-up finds nobody.
    @usableFromInline
    borrowing func wait(for state: borrowing Atomic<UInt8>) {
      // What a lock of this package guards is short: most of the time it is free again before a thread could fall
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

    /// Wakes a thread that sleeps.
    ///
    /// The mutex is taken so that the wake-up cannot fall between a thread's look at the state and its sleep.
    @usableFromInline
    borrowing func wake() {
      pthread_mutex_lock(&primitives.pointee.mutex)
      pthread_cond_signal(&primitives.pointee.condition)
      pthread_mutex_unlock(&primitives.pointee.mutex)
    }
  }
#endif
