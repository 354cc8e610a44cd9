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
  ///
  /// They sleep in a ``WaitingRoom``, which a lock chooses when a thread first has to sleep. A lock that no thread has
  /// slept on therefore takes two bytes, its state and this number, and no memory of its own.
  @usableFromInline
  struct LockQueue: ~Copyable, Sendable {
    /// The number of the lock's room; 0 until a thread has to sleep.
    private let room = Atomic<UInt8>(0)

    @usableFromInline
    init() {}

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
      let room = WaitingRoom.all + chooseRoom()
      pthread_mutex_lock(&room.pointee.mutex)
      // Releasing, so that the thread that finds the lock contended knows the room.
      while state.exchange(Lock.State.contended, ordering: .acquiringAndReleasing) != Lock.State.free {
        pthread_cond_wait(&room.pointee.condition, &room.pointee.mutex)
      }
      pthread_mutex_unlock(&room.pointee.mutex)
    }

    /// Wakes a sleeping thread.
    ///
    /// The mutex is acquired so that the wake-up cannot fall between a thread's check of the state and its sleep.
    @usableFromInline
    borrowing func wake() {
      // The caller has acquired the state that a sleeping thread released after it had chosen the room.
      let room = WaitingRoom.all + Int(room.load(ordering: .relaxed))
      pthread_mutex_lock(&room.pointee.mutex)
      if WaitingRoom.areShared {
        pthread_cond_broadcast(&room.pointee.condition)
      } else {
        pthread_cond_signal(&room.pointee.condition)
      }
      pthread_mutex_unlock(&room.pointee.mutex)
    }

    private borrowing func chooseRoom() -> Int {
      let known = room.load(ordering: .relaxed)
      if known != 0 { return Int(known) }
      let attempt = room.compareExchange(expected: 0, desired: WaitingRoom.next(), ordering: .acquiringAndReleasing)
      return Int(attempt.exchanged ? room.load(ordering: .relaxed) : attempt.original)
    }
  }

  /// A mutex and a condition on which threads sleep; the locks of the process share a fixed number of them.
  private struct WaitingRoom {
    var mutex = pthread_mutex_t()
    var condition = pthread_cond_t()

    private static var count: Int { 127 }

    /// The number of locks that have chosen a room.
    private static let chosen = Atomic<Int>(0)

    /// All rooms, numbered from 1.
    ///
    /// They are in manually allocated memory, because their addresses must not change while threads sleep on them.
    nonisolated(unsafe) static let all: UnsafeMutablePointer<WaitingRoom> = {
      // Sound: created once, never freed; POSIX mutexes and conditions are made for many threads.
      let all = UnsafeMutablePointer<WaitingRoom>.allocate(capacity: count + 1)
      all.initialize(repeating: WaitingRoom(), count: count + 1)
      for number in 0...count {
        pthread_mutex_init(&all[number].mutex, nil)
        pthread_cond_init(&all[number].condition, nil)
      }
      return all
    }()

    /// Returns the number of a room for another lock.
    ///
    /// No two locks share a room before each room has one.
    static func next() -> UInt8 {
      UInt8(1 + chosen.wrappingAdd(1, ordering: .relaxed).oldValue % count)
    }

    /// A Boolean value that indicates whether threads that wait for different locks may sleep in one room.
    ///
    /// The caller holds the mutex of a room. A thread that sleeps there has counted its lock before.
    static var areShared: Bool { chosen.load(ordering: .relaxed) > count }
  }
#endif
