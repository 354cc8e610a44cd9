/* Trimming a log beside a switch of environments and a consumer that is late or new.
 *
 * The model has one log, in the environment that a switch brings in. Each of its events has a segment of its own, which
 * is sealed when the next segment begins. Each process below is a thread of some program. It may be delayed for any
 * time, between any two steps.
 *
 *   Switching   ContainerAccess.move(committing:leavingTo:arrivingFrom:)
 *   Appending   AppGroupsLog.append(_:), in a process that shows the new environment
 *   Leading     LogFeed with its LogSaver, for a consumer that handles each event at once and saves its position
 *   Following   the same for the consumer of the claims, whose process may be late, and may be killed once
 *   Trimming    LogTrimmer.trim(isWaiting:), in any process that has the log
 *
 * Claim: the consumer skips no event silently that was promised to it. The log promises
 *
 *   - all events of the new environment, if the consumer subscribed in the old environment before the switch;
 *   - otherwise, all events that are appended after its subscription in the new environment.
 *
 * Claim with LIVENESS: a consumer that subscribed in the old environment handles all events.
 *
 * Options:
 *   INVENTORY_AT_ONCE     no other process does anything between the first and the last read of a trim's inventory
 *   SUBSCRIBES_DURING     the consumer may subscribe in the old environment until the switch is recorded
 *   NO_SIZE_LIMIT         only events that all consumers have handled are removed
 *   LIVENESS              there is no size limit, and the consumer is not killed
 *   FAULT=…               one of the deliberate faults below
 */

/* Neither a subscription nor a switch leaves a note of an expected consumer, as in the first versions. */
#define NO_NOTES 1
/* A switch leaves its notes only after processes show the new environment. */
#define NOTES_AFTER_SWITCH 2
/* LogTrimmer.positions(of:) does not look for notes. */
#define NOTES_IGNORED 3
/* LogSaver.register() does not wait for the process that trims. */
#define REGISTERS_WITHOUT_LOCK 4
/* LogSaver.register() removes the note before it saves the cursor. */
#define NOTE_ENDS_EARLY 5
/* LogTrimmer.shrink(_:besides:_:) removes a segment before it leaves the note of the loss. */
#define LOSS_NOTE_LATE 6
/* LogTrimmer.trim(isWaiting:) lists the consumers before the segments. */
#define CONSUMERS_FIRST 7
/* ContainerAccess.move(committing:leavingTo:arrivingFrom:) leaves its notes only before the switch is recorded. */
#define NOTES_ONCE 8

#ifndef FAULT
#define FAULT 0
#endif

#define EVENTS 3
#define TRIMS 2
/* There is no cursor. */
#define NONE 15

/* The root: its lock, the record of the active environment, and the switch as the process that makes it shows it. */
bool rootIsLocked, hasBegun, isCommitted, isPublished;
/* The process that switches shows the new environment before it unlocks the root. Others wait for the lock. */
#define isShown (isPublished || (isCommitted && !rootIsLocked))

/* The log in the old environment: the note that the consumer is expected. */
bool isKnownInOld;

/* The log in the new environment: the segments, the lock for their removal, and the files of both consumers. */
byte appended;
bool isRemoved[EVENTS + 1];
bool trimIsLocked;
byte leadingCursor = NONE, cursor = NONE;
bool leadingIsExpected, isExpected, hasLossNote;
/* ConsumerPlace.lastKnown */
#define isKnown (cursor != NONE || isExpected)

/* For the claims: the first promised event, 0 without a promise, and whether a loss was reported. */
byte promised;
bool hasReported;

/* LogConsumers.expectConsumers(of:in:): lists the consumers of the old log, and then leaves the notes. */
inline leaveNotes() {
  if
  :: isKnownInOld ->
    if
    :: isKnown
    :: !isKnown -> isExpected = true
    fi
  :: !isKnownInOld
  fi
}

proctype Switching() {
  /* ExclusiveFile(locking: layout.stateURL), and SwitchMoves.perform(). */
  atomic { rootIsLocked = true; hasBegun = true }
#if FAULT != NO_NOTES && FAULT != NOTES_AFTER_SWITCH
  leaveNotes();
#endif
  /* ContainerStore.commit(_:_:_:step:) */
  isCommitted = true;
#if FAULT != NO_NOTES && FAULT != NOTES_AFTER_SWITCH && FAULT != NOTES_ONCE
  leaveNotes();
#endif
  /* Scope.release(_:_:into:publishing:) */
  isPublished = true;
#if FAULT == NOTES_AFTER_SWITCH
  leaveNotes();
#endif
  rootIsLocked = false
}

proctype Appending() {
  isShown;
  do
  :: appended < EVENTS -> appended++
  :: else -> break
  od
}

/* A consumer that reads and saves at once. The claims are about the other one. */
proctype Leading() {
#if FAULT == NO_NOTES
  isShown;
#else
  atomic { isShown -> leadingIsExpected = true }
#endif
  /* LogSaver.register() */
  atomic { !trimIsLocked -> leadingCursor = 0; leadingIsExpected = false }
  do
  :: atomic { leadingCursor < appended -> leadingCursor++ }
  :: leadingCursor == EVENTS -> break
  od
}

inline promise() {
  if
  :: promised == 0 -> promised = appended + 1
  :: else
  fi
}

inline unlockTrim() {
  if
  :: holdsTrim -> holdsTrim = false; trimIsLocked = false
  :: else
  fi
}

#ifdef LIVENESS
#define NO_SIZE_LIMIT
#define mayBeKilled() skip
#else
#define mayBeKilled() if :: !wasKilled -> goto killed :: skip fi
#endif

proctype Following() {
  byte next;
  bool holdsTrim, wasKilled;

  /* The subscription in the old environment, which leaves a note there: ConsumerPlace.expect(since:moment:). */
  if
#ifdef SUBSCRIBES_DURING
  :: atomic { !isCommitted -> isKnownInOld = true; promised = 1 }
#else
  :: atomic { !hasBegun -> isKnownInOld = true; promised = 1 }
#endif
  :: skip
  fi;

started:
  /* ContainerEngine.follow(). */
  isShown;
  /* LogFeed.prepareSwitch(_:) or LogFeed.subscribe(_:_:), then LogFeed.start(isNew:) and ConsumerPlace.expect(). */
#if FAULT == NO_NOTES
  atomic { promise() }
#else
  if
  :: isKnown
  :: !isKnown -> atomic { isExpected = true; promise() }
  fi;
#endif

  /* LogFeed.tryToBegin(from:_:_:): the consumer's own lock, ConsumerPlace.takeLossNote() and ConsumerPlace.load(). */
  atomic {
    if
    :: hasLossNote -> hasLossNote = false; hasReported = true
    :: else
    fi;
    next = (cursor == NONE -> 0 : cursor)
  }

  /* LogSaver.register() */
  if
#if FAULT != REGISTERS_WITHOUT_LOCK
  :: atomic { cursor == NONE && !trimIsLocked -> trimIsLocked = true; holdsTrim = true }
  :: cursor != NONE
#else
  :: skip
#endif
  fi;
#if FAULT == NOTE_ENDS_EARLY
  isExpected = false;
  mayBeKilled();
  cursor = next;
#else
  cursor = next;
  mayBeKilled();
  isExpected = false;
#endif
  atomic { unlockTrim() }

  do
  :: atomic {
      /* LogReader.next() and LogAudience.give(_:_:): the next event that still exists. */
      next < appended ->
      do
      :: isRemoved[next + 1] ->
        assert(next + 1 < promised || hasLossNote || hasReported);
        next++
      :: else -> break
      od;
      next++
    }
    /* LogSaver.saveNow() may come later, for several events at once. */
    if
    :: next < EVENTS
    :: cursor = next
    fi;
    mayBeKilled()
  :: next == EVENTS -> break
  od;
  goto finished;

killed:
  /* The kernel releases its locks. */
  atomic { wasKilled = true; next = 0; unlockTrim(); goto started }

finished:
  skip
}

/* LogTrimmer.segments(): the segments that no process appends to. */
#define listSegments() sealed = (appended > 0 -> appended - 1 : 0)

/* LogTrimmer.positions(of:): the cursor, and without one the note. */
#define loadLeading() \
  if \
  :: atomic { leadingIsListed && leadingCursor != NONE -> leadingPosition = leadingCursor } \
  :: atomic { leadingIsListed && leadingCursor == NONE -> leadingPosition = 0 } \
  :: atomic { !leadingIsListed -> leadingPosition = NONE } \
  fi

inline load() {
  if
  :: atomic { isListed && cursor != NONE -> position = cursor }
  :: atomic { isListed && cursor == NONE -> position = NONE };
#if FAULT != NOTES_IGNORED
    if
    :: isExpected -> position = 0
    :: !isExpected
    fi
#endif
  :: atomic { !isListed -> position = NONE }
  fi
}

/* LogTrimmer.has(_:read:), for all consumers. A consumer without a position is not counted. */
#define isRead(s) (leadingPosition >= s && position >= s && (leadingPosition != NONE || position != NONE))

proctype Trimming() {
  bool leadingIsListed, isListed;
  byte leadingPosition, position, sealed, segment, trims;

  do
  :: atomic { trims < TRIMS && !trimIsLocked ->
      /* LogPlace.lockTrimming(isWaiting:) */
      trimIsLocked = true;
      trims++
    };
#ifdef INVENTORY_AT_ONCE
    atomic {
#endif
#if FAULT != CONSUMERS_FIRST
      listSegments();
#endif
      /* LogTrimmer.consumers(_:), which begins with ConsumerPlace.all(in:). */
      atomic { leadingIsListed = (leadingCursor != NONE || leadingIsExpected); isListed = isKnown };
      loadLeading();
      load();
#if FAULT == CONSUMERS_FIRST
      listSegments();
#endif
#ifdef INVENTORY_AT_ONCE
    }
#endif
    /* LogTrimmer.trim(isWaiting:) removes the oldest segments that all consumers have read, one after the other. */
    segment = 1;
    do
    :: segment <= sealed && isRemoved[segment] -> segment++
    :: segment <= sealed && !isRemoved[segment] && isRead(segment) -> isRemoved[segment] = true; segment++
    :: else -> break
    od;
    /* LogTrimmer.shrink(_:besides:_:) removes the next segment, if the log is too large. */
#ifndef NO_SIZE_LIMIT
    if
    :: segment <= sealed ->
#if FAULT == LOSS_NOTE_LATE
      isRemoved[segment] = true;
#endif
      if
      :: position < segment -> hasLossNote = true
      :: position >= segment
      :: skip -> goto killed
      fi;
      isRemoved[segment] = true
    :: skip
    fi;
#endif
killed:
    atomic {
      segment = 0; sealed = 0; leadingPosition = 0; position = 0; leadingIsListed = false; isListed = false;
      trimIsLocked = false
    }
  :: trims == TRIMS -> break
  od
}

init {
  atomic {
    run Switching();
    run Appending();
    run Leading();
    run Following();
    run Trimming()
  }
}

#ifdef LIVENESS
ltl arrives { [] (promised == 1 -> <> (cursor == EVENTS)) }
#endif
