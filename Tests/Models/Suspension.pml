/* Locks beside a suspension of their directory.
 *
 * One process has two threads that use locks, and a third thread that suspends and resumes the directory. Another
 * process holds the same locks now and then. There are three locks between processes:
 *
 *   FILE      the lock of a file, acquired by ExclusiveFile.lock(_:joinsOuterLock:isForSwitch:limit:waits:); threads of
 *             this process exclude each other first, and share one entry of ThreadLocks
 *   TRIM      a lock for one operation, acquired by FileLock.lock(_:) or tryLock(_:); it is listed in HeldLocks
 *   SEGMENT   the lock of a log's current segment, which LogProducer keeps after the append until it is sealed
 *
 * The phase of DirectoryRules and the entries of both lists are read and written in one step each. The code orders them
 * with locks and sequentially consistent atomics.
 *
 * Claims: after suspend() has returned without an error, and until resume() is called,
 *
 *   - this process holds none of the locks, not even for a moment;
 *   - with DEADLINE, if a thread still waited for another process then: no thread begins work under a lock.
 *
 * Claim with LIVENESS: suspend() returns if the other process releases its locks.
 *
 * Options:
 *   DEADLINE        the limit of suspend(_:within:) may pass at any time
 *   NO_TRIES        no thread calls FileLock.tryLock(_:)
 *   LIVENESS        one thread does one operation, the other two, and the other process holds a lock once
 *   FAULT=…         one of the deliberate faults below
 */

/* A lock is listed after it was acquired, and the phase is then checked again: the fault of the first versions. */
#define LISTED_LATE 1
/* ExclusiveFile.unlock() and FileLock.unlock() remove the entry before they release the lock. */
#define UNLISTED_EARLY 2
/* ThreadLocks.release(_:) clears the entry after it has let the next thread in. */
#define CLEARED_LATE 3
/* The phase is not checked again after the wait for a lock. */
#define UNCHECKED_AFTER_WAIT 4
/* Writing.makeSegment(in:_:) does not check the phase, because it may run inside an update. */
#define SEGMENT_UNCHECKED 5
/* Suspensions.suspend(_:within:) lets the members release their locks before it refuses new ones. */
#define RELEASED_EARLY 6
/* A LogProducer takes part in suspensions only after it has checked the phase. */
#define REGISTERED_LATE 7
/* FileLock.tryLock(_:) does not check the phase again after it has the lock. */
#define TRIES_UNCHECKED 8

#ifndef FAULT
#define FAULT 0
#endif

#define FILE 0
#define TRIM 1
#define SEGMENT 2

#define FREE 0
#define OTHER 3     /* The holder is the other process. */
#define PRODUCER 4  /* The holder is the LogProducer of this process. */

/* The holder of each lock between processes: a thread of this process, PRODUCER or OTHER. */
byte holder[3];
#define isOurs(lock) (holder[lock] != FREE && holder[lock] != OTHER)

/* LockUse */
#define unused 0
#define sought 1
#define held 2
/* HeldLocks has one entry for each open file, so each thread has its own for TRIM: see TRIM_OF. */
byte use[5];
#define TRIM_OF(thread) (2 + thread)

/* ThreadLocks.Turn.lock, and the lock of LogProducer.writing. */
byte turn, writing;

/* The entry of the LogProducer in Suspensions. */
bool isRegistered;

/* DirectoryRules.Phase */
#define open 0
#define preparing 1
#define suspended 2
byte phase;

/* For the claims: what suspend() promised when it returned. */
#define nothing 0
#define noWork 1
#define noLock 2
byte promise;

#ifdef LIVENESS
/* Fair threads that work for ever could keep a lock from a fair suspension. */
byte operations[3];
#define mayContinue(me) operations[me] < me
#define count(me) operations[me]++
#define mayEnd() break
#else
#define mayContinue(me) true
#define count(me) skip
#define mayEnd() skip
#endif

/* DirectoryRules.checkOpen(_:) allows more locks inside an operation that holds the lock of a file. */
#define isRefused (phase == suspended && !(turn == me && use[FILE] == held))

/* flock(2) with LOCK_EX, which waits. */
#define acquire(lock, owner) atomic { holder[lock] == FREE -> holder[lock] = owner; assert(promise != noLock) }

/* The work under a lock. */
#define work() assert(promise == nothing)

/* FileLock.unlock() of a listed lock. */
inline release(lock, entry) {
#if FAULT == UNLISTED_EARLY
  use[entry] = unused;
  holder[lock] = FREE
#else
  holder[lock] = FREE;
  use[entry] = unused
#endif
}

/* ThreadLocks.release(_:) */
inline endTurn() {
#if FAULT == CLEARED_LATE
  turn = FREE;
  use[FILE] = unused
#else
  use[FILE] = unused;
  turn = FREE
#endif
}

/* ExclusiveFile.unlock() */
inline unlockFile() {
#if FAULT == UNLISTED_EARLY
  use[FILE] = unused;
#endif
  holder[FILE] = FREE;
  endTurn()
}

/* LogProducer.append(_:_:segmentSize:durability:); the thread may be inside an update, which holds the lock of FILE. */
inline append() {
  atomic { writing == FREE -> writing = me };
#if FAULT != REGISTERED_LATE
  /* LogProducer.init(_:) calls Suspensions.add(_:at:). */
  isRegistered = true;
#endif
  if
  :: holder[SEGMENT] == PRODUCER
  :: else ->
    /* Writing.makeSegment(in:_:) */
    if
#if FAULT != SEGMENT_UNCHECKED
    :: phase == suspended
    :: phase != suspended ->
#else
    :: true ->
#endif
#if FAULT == REGISTERED_LATE
      isRegistered = true;
#endif
      /* SegmentWriter.lock(), with FileLock.tryLock(_:). No other process knows the file. */
#if FAULT != LISTED_LATE
      use[SEGMENT] = sought;
#endif
      if
      :: isRefused -> use[SEGMENT] = unused
      :: else ->
        acquire(SEGMENT, PRODUCER);
        use[SEGMENT] = held
      fi
    fi
  fi;
  writing = FREE
}

#if FAULT == UNCHECKED_AFTER_WAIT
#define isCheckedAgain false
#elif FAULT == TRIES_UNCHECKED
#define isCheckedAgain !isTrying
#else
#define isCheckedAgain true
#endif

/* LogPlace.lockTrimming(isWaiting:) and the work under its lock. */
inline trim() {
  if
  :: isTrying = false
#ifndef NO_TRIES
  :: isTrying = true
#endif
  fi;
#if FAULT != LISTED_LATE
  use[TRIM_OF(me)] = sought;
#endif
  if
  :: isRefused -> use[TRIM_OF(me)] = unused
  :: else ->
    if
    :: acquire(TRIM, me);
      use[TRIM_OF(me)] = held;
      if
      :: isRefused && isCheckedAgain
      :: else -> work()
      fi;
      release(TRIM, TRIM_OF(me))
    :: isTrying && holder[TRIM] != FREE -> use[TRIM_OF(me)] = unused
    fi
  fi;
  isTrying = false
}

/* AppGroupsFile.update(_:), during which the thread may use other locks. */
inline update() {
  /* ThreadLocks.acquire(_:isForSwitch:waits:) */
  atomic { turn == FREE -> turn = me };
#if FAULT != LISTED_LATE
  use[FILE] = sought;
#endif
  if
  :: phase == suspended -> endTurn()
  :: phase != suspended ->
    acquire(FILE, me);
    use[FILE] = held;
    if
#if FAULT != UNCHECKED_AFTER_WAIT
    :: phase == suspended
#endif
    :: phase != suspended || FAULT == UNCHECKED_AFTER_WAIT ->
      work();
      if
      :: append()
      :: trim()
      :: skip
      fi;
      work()
    fi;
    unlockFile()
  fi
}

proctype Working(byte me) {
  bool isTrying;
end:
  do
  :: mayContinue(me) -> count(me); update()
  :: mayContinue(me) -> count(me); trim()
  :: mayContinue(me) -> count(me); append()
  /* The last log object of the name is released, and with it the LogProducer. */
  :: atomic { isRegistered && writing == FREE && holder[SEGMENT] == FREE -> isRegistered = false }
  od
}

proctype OtherProcess() {
end:
  do
  :: atomic { holder[FILE] == FREE -> holder[FILE] = OTHER }; holder[FILE] = FREE; mayEnd()
  :: atomic { holder[TRIM] == FREE -> holder[TRIM] = OTHER }; holder[TRIM] = FREE; mayEnd()
  od
}

/* LogProducer.releaseForSuspension() */
inline seal() {
  if
  /* Suspensions.members(in:_:) */
  :: isRegistered ->
    atomic { writing == FREE -> writing = me };
    if
    :: holder[SEGMENT] == PRODUCER -> release(SEGMENT, SEGMENT)
    :: else
    fi;
    writing = FREE
  :: !isRegistered
  fi
}

#define isAnyUsed (fileUse != unused || trimUse != unused || otherTrimUse != unused || segmentUse != unused)

proctype Suspending() {
  byte me = 5;
  byte fileUse, trimUse, otherTrimUse, segmentUse;
end:
  do
  :: true ->
    /* Suspensions.suspend(_:within:) */
    phase = preparing;
#if FAULT == RELEASED_EARLY
    seal();
#endif
    phase = suspended;
#if FAULT != RELEASED_EARLY
    seal();
#endif
    /* Suspensions.remainingLocks(in:until:) reads ThreadLocks first, and then HeldLocks, whose lock it holds. */
    do
    :: fileUse = use[FILE];
      d_step { trimUse = use[TRIM_OF(1)]; otherTrimUse = use[TRIM_OF(2)]; segmentUse = use[SEGMENT] };
      if
      :: atomic { !isAnyUsed -> promise = noLock; break }
      :: isAnyUsed
#ifdef DEADLINE
      :: isAnyUsed ->
        if
        /* SuspensionError.stillBusy(_:files:after:) */
        :: fileUse == held || trimUse == held || otherTrimUse == held || segmentUse == held
        :: else -> promise = noWork
        fi;
        break
#endif
      fi
    od;
    atomic {
      fileUse = 0; trimUse = 0; otherTrimUse = 0; segmentUse = 0;
      if
      :: promise == noLock -> assert(!isOurs(FILE) && !isOurs(TRIM) && !isOurs(SEGMENT))
      :: else
      fi
    }
#ifdef LIVENESS
    break;
#endif
    /* Suspensions.resume(_:within:) */
    promise = nothing;
    phase = open
  od
}

init {
  atomic {
    run Working(1);
    run Working(2);
    run OtherProcess();
    run Suspending()
  }
}

#ifdef LIVENESS
ltl returns { [] (phase == suspended -> <> (promise == noLock)) }
#endif
