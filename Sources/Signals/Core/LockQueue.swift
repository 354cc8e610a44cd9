#if !canImport(Darwin)
  import CLinux
  public import Synchronization

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
      while true {
        // Read before the state, so that a wake-up after that is noticed.
        let wakeUps = room.pointee.wakeUps.load(ordering: .relaxed)
        // Releasing, so that the thread that finds the lock contended knows the room.
        let found = state.exchange(Lock.State.contended, ordering: .acquiringAndReleasing)
        if found == Lock.State.free { return }
        room.pointee.sleep(unlessWokenSince: wakeUps)
      }
    }

    /// Wakes a sleeping thread.
    @usableFromInline
    borrowing func wake() {
      // The caller has acquired the state that a sleeping thread released after it had chosen the room.
      (WaitingRoom.all + Int(room.load(ordering: .relaxed))).pointee.wake()
    }

    private borrowing func chooseRoom() -> Int {
      let known = room.load(ordering: .relaxed)
      if known != 0 { return Int(known) }
      let attempt = room.compareExchange(expected: 0, desired: WaitingRoom.next(), ordering: .acquiringAndReleasing)
      return Int(attempt.exchanged ? room.load(ordering: .relaxed) : attempt.original)
    }
  }

  /// A place in which threads sleep; the locks of the process share a fixed number of them.
  private struct WaitingRoom: ~Copyable {
    /// The number of wake-ups, on which the threads sleep.
    ///
    /// A thread notices each wake-up that follows its look at the number, unless there are 2³² of them in between.
    let wakeUps = Atomic<UInt32>(0)

    private static var count: Int { 127 }

    /// The number of locks that have chosen a room.
    private static let chosen = Atomic<Int>(0)

    /// All rooms, numbered from 1.
    ///
    /// They are in manually allocated memory, because their addresses must not change while threads sleep on them.
    nonisolated(unsafe) static let all: UnsafeMutablePointer<WaitingRoom> = {
      // Sound: created once, never freed, and never changed except by atomic operations.
      let all = UnsafeMutablePointer<WaitingRoom>.allocate(capacity: count + 1)
      for number in 0...count { (all + number).initialize(to: WaitingRoom()) }
      return all
    }()

    /// Returns the number of a room for another lock.
    ///
    /// No two locks share a room before each room has one.
    static func next() -> UInt8 {
      UInt8(1 + chosen.wrappingAdd(1, ordering: .relaxed).oldValue % count)
    }

    /// Sleeps until the next wake-up; returns at once if there has been one.
    borrowing func sleep(unlessWokenSince number: UInt32) {
      futexWait(word, number)
    }

    /// Wakes a thread that waits for a lock, and all threads here if they may wait for different locks.
    borrowing func wake() {
      wakeUps.wrappingAdd(1, ordering: .acquiringAndReleasing)
      if !Self.areShared {
        futexWake(word, 1)
        // A thread that has just been woken has chosen its room before it fell asleep. If it waits for another lock, that
        // is seen here.
        guard Self.areShared else { return }
      }
      futexWake(word, .max)
    }

    /// A Boolean value that indicates whether threads that wait for different locks may sleep in one room.
    private static var areShared: Bool { chosen.load(ordering: .relaxed) > count }

    /// The number as the system sees it.
    private var word: UnsafePointer<UInt32> {
      borrowing get {
        withUnsafePointer(to: wakeUps) { UnsafeRawPointer($0).assumingMemoryBound(to: UInt32.self) }
      }
    }
  }
#endif
