/* A log that is opened in a scope while the contents of the scope are switched.
 *
 * One process opens a log and subscribes to it. In the meantime, a thread of this process switches the environment, and
 * another process does, too. The scope has one member from the beginning: a shared file, whose lock both processes
 * acquire in order to switch or to update the file.
 *
 *   Opening     LogProducer.shared(name:scope:policy:), LogFeed.init(_:limits:decoder:producer:) and subscribe(_:_:)
 *   Switching   ContainerEngine.exclusively(_:_:) with ContainerAccess.activate(_:)
 *   Following   ContainerEngine.follow(), after the file of the state has changed
 *   Beginning   the queue of the feed, with LogFeed.begin(from:_:)
 *   Other       the other process, with ContainerAccess.activate(_:) and follow(_:adopting:)
 *
 * Claims:
 *
 *   - in the end, the log and the feed use the directory of the environment that is active;
 *   - a feed never begins to read contents that its process does not show;
 *   - no thread waits for ever.
 *
 * Options:
 *   NESTED            the log is opened inside an update of the shared file, for which a switch waits
 *   OTHER_HAS_FILE    the other process has the file open, too, and waits for updates before it switches or follows
 *   PATIENCE_ENDS     the limit of ten seconds for the wait in Scope.enrol(_:) may pass
 *   END_ONLY          does not check the second claim, so that violations of the first one are found
 *   LIVENESS          checks that all threads finish, instead of the other claims
 *   SWITCHES=…        the number of switches of the other process, two without this option
 *   FAULT=…           one of the deliberate faults below
 */

/* Scope.enrol(_:) does not wait for the switch in progress: the fault of the first versions. */
#define ENROLS_AT_ONCE 1
/* ScopeMembers.hold(keepingRefusing:) does not look for members that were added during the wait. */
#define ADDITIONS_IGNORED 2
/* ScopeMembers.hold(keepingRefusing:) counts the additions after it has listed the members. */
#define COUNTED_LATE 3
/* LogLocation.init(name:scope:policy:) opens the directory before it enrols. */
#define OPENED_EARLY 4
/* LogFeed.tryToBegin(from:_:_:) does not postpone a beginning to the end of a switch. */
#define BEGINS_AT_ONCE 5
/* Inside an update, the waits of ContainerEngine.steadily(_:) have no limit. */
#define NESTED_WAITS 6
/* After the wait in Scope.enrol(_:), a member is added although a switch holds its members. */
#define OVERLOOKED 7

#ifndef FAULT
#define FAULT 0
#endif
#ifndef SWITCHES
#define SWITCHES 2
#endif

/* The threads, as holders of locks. */
#define FREE 0
#define OPENING 1
#define SWITCHING 2
#define FOLLOWING 3
#define OTHER 4

/* The locks between processes: the root's, and the one of the shared file. */
byte root, file;
/* The locks of the process: ContainerEngine.turn and ScopeMembers.turn. */
byte engineTurn, scopeTurn;

/* ContainerState.switches: the number of the active environment, and of the one that the process shows. */
byte onDisk, shown;

/* ScopeMembers */
bool locationIsEnrolled, feedIsEnrolled, isSwitching;
byte additions;
bool isClosed;  /* ScopeMembers.close(after:) */

#define NONE 15

/* LogLocation: the environment of its open directory. LogFeed and LogAudience. */
byte place = NONE;
bool hasSubscriber, postponesBeginnings;
byte generation, nextPlace, nextGeneration;
byte runPlace = NONE, runGeneration;
/* The queue of the feed, and the number of beginnings that wait or are under way. */
chan beginnings = [5] of { byte, byte };
byte waiting;

bool isOpened, isRefused;

/* The number of all switches that have ended. */
byte switches;

/* Scope.isFollowed */
#define isFollowed (!isSwitching && shown == onDisk)

/* LogFeed.prepareSwitch(_:) */
inline prepareFeed() {
  start = place;
  atomic {
    generation++;
    if
    :: hasSubscriber -> nextPlace = start; nextGeneration = generation
    :: else
    fi;
    start = 0
  }
}

/* LogFeed.endSwitch(_:) */
inline resumeFeed() {
  atomic {
    postponesBeginnings = false;
    if
    :: nextGeneration > 0 -> waiting++; beginnings ! nextPlace, nextGeneration; nextPlace = 0; nextGeneration = 0
    :: else
    fi
  }
}

/* Scope.switchContents(into:_:publishing:) or Scope.followSwitch(into:publishing:); the thread holds the lock of the root. */
inline switchContents(follows) {
  /* Scope.withTurn(_:) */
  atomic { scopeTurn == FREE -> scopeTurn = me };
  isSwitching = follows;
  /* ScopeMembers.hold(keepingRefusing:) */
  do
  :: true ->
#if FAULT != COUNTED_LATE
    counted = additions;
#endif
    /* ScopeMembers.all */
    atomic { holdsLocation = locationIsEnrolled; holdsFeed = feedIsEnrolled };
#if FAULT == COUNTED_LATE
    counted = additions;
#endif
    /* SharedFileEngine.holdForSwitch(within:), which waits for the work in progress, unless it is on this thread. */
    if
    :: atomic { file == FREE -> file = me; holdsFile = true }
    :: file == me
    fi;
    if
    :: atomic { counted == additions || FAULT == ADDITIONS_IGNORED -> isClosed = true; break }
    :: else ->
      /* SharedFileEngine.letGo() */
      if
      :: holdsFile -> file = FREE; holdsFile = false
      :: else
      fi
    fi
  od;
  /* LogFeed.settleForSwitch() */
  postponesBeginnings = postponesBeginnings || holdsFeed;
  /* ContainerAccess.move(committing:leavingTo:arrivingFrom:) */
  if
  :: !follows -> isSwitching = true; onDisk++
  :: else
  fi;
  /* The members prepare by stage. SharedFileEngine.prepareSwitch(_:) also unlocks the file. */
  if
  :: holdsFile -> file = FREE; holdsFile = false
  :: else
  fi;
  if
  :: holdsLocation -> place = onDisk
  :: else
  fi;
  if
  :: holdsFeed -> prepareFeed()
  :: else
  fi;
  /* ContainerEngine.adopt(_:) */
  atomic { shown = onDisk; isSwitching = false };
  if
  :: holdsFeed -> resumeFeed()
  :: else
  fi;
  atomic { counted = 0; holdsLocation = false; holdsFeed = false; isClosed = false; scopeTurn = FREE }
}

/* ScopeMembers.add(_:) */
#define add(isEnrolled) isEnrolled = true; additions++

/* Scope.enrol(_:) */
inline enrol(isEnrolled) {
  if
#if FAULT == ENROLS_AT_ONCE
  :: atomic { add(isEnrolled) }
#else
  :: atomic { scopeTurn == FREE -> scopeTurn = me }; atomic { add(isEnrolled) }; scopeTurn = FREE
  /* Scope.isDelayedByThisThread */
  :: isNested && scopeTurn != FREE -> atomic { add(isEnrolled) }
#endif
#ifdef PATIENCE_ENDS
#if FAULT != OVERLOOKED
  :: atomic { scopeTurn != FREE && !isClosed -> add(isEnrolled) }
#else
  :: scopeTurn != FREE -> atomic { add(isEnrolled) }
#endif
#endif
  fi
}

/* LogLocation.open(isMaking:), with ContainerEngine.steadily(_:). */
inline openDirectory() {
  /* ContainerEngine.lockTurn(_:) */
  if
  :: atomic { engineTurn == FREE -> engineTurn = me }
  :: isNested && engineTurn != FREE && scopeTurn != FREE -> goto refused
#if FAULT != NESTED_WAITS
  :: isNested && engineTurn != FREE -> goto refused
#endif
  fi;
  /* ContainerEngine.lockedAccess(_:_:_:) */
  if
  :: atomic { root == FREE -> root = me }
#if FAULT != NESTED_WAITS
  :: isNested && root != FREE -> engineTurn = FREE; goto refused
#endif
  fi;
  /* ContainerAccess.catchUp() */
  if
  :: shown != onDisk -> switchContents(true)
  :: else
  fi;
  /* LogLocation.current(isMaking:) */
  place = onDisk;
  root = FREE;
  engineTurn = FREE
}

proctype Opening() {
  byte me = OPENING;
  byte start, counted, mine;
  bool holdsFile, holdsLocation, holdsFeed, isNested;

#ifdef NESTED
  /* FileLocation.lock(following:) */
  do
  :: atomic { file == FREE -> file = me };
    if
    :: isFollowed -> isNested = true; break
    :: else -> file = FREE; isFollowed
    fi
  od;
#endif

  /* LogLocation.init(name:scope:policy:) */
#if FAULT != OPENED_EARLY
  enrol(locationIsEnrolled);
  openDirectory();
#else
  openDirectory();
  enrol(locationIsEnrolled);
#endif
  /* LogFeed.init(_:limits:decoder:producer:changes:queue:) */
  enrol(feedIsEnrolled);
  /* LogFeed.subscribe(_:_:): LogAudience.add(_:_:), and then beginLater(_:). */
  atomic { hasSubscriber = true; generation++; mine = generation };
  start = place;
  atomic { beginnings ! start, mine; waiting++; isOpened = true };
  goto finished;

refused:
  /* AppContainerError.nested(operation:) */
  atomic { locationIsEnrolled = false; isRefused = true };

finished:
  if
  :: isNested -> file = FREE
  :: else
  fi
}

proctype Switching() {
  byte me = SWITCHING;
  byte start, counted;
  bool holdsFile, holdsLocation, holdsFeed;

  do
  :: true ->
    atomic { engineTurn == FREE -> engineTurn = me };
    atomic { root == FREE -> root = me };
    if
    :: shown == onDisk ->
      switchContents(false);
      root = FREE;
      engineTurn = FREE;
      break
    :: else ->
      /* The values of the other process's switch are sent before this one begins. */
      switchContents(true);
      root = FREE;
      engineTurn = FREE
    fi
  od;
  switches++
}

proctype Following() {
  byte me = FOLLOWING;
  byte start, counted;
  bool holdsFile, holdsLocation, holdsFeed;

end:
  do
  :: shown != onDisk ->
    atomic { engineTurn == FREE -> engineTurn = me };
    if
    :: shown != onDisk ->
      atomic { root == FREE -> root = me };
      if
      :: shown != onDisk -> switchContents(true)
      :: else
      fi;
      root = FREE
    :: else
    fi;
    engineTurn = FREE
  od
}

proctype Beginning() {
  byte start, mine;

end:
  do
  :: beginnings ? start, mine;
    if
    :: mine == generation ->
      /* LogFeed.tryToBegin(from:_:_:) */
      if
#if FAULT != BEGINS_AT_ONCE
      :: atomic { postponesBeginnings ->
          if
          :: nextGeneration == 0 -> nextPlace = start
          :: else
          fi;
          nextGeneration = (mine > nextGeneration -> mine : nextGeneration)
        }
      :: atomic { !postponesBeginnings -> skip };
#else
      :: true ->
#endif
        atomic {
#ifndef END_ONLY
          assert(mine != generation || start == shown);
#endif
          runPlace = start;
          runGeneration = mine
        }
      fi
    :: else
    fi;
    atomic { start = 0; mine = 0; waiting-- }
  od
}

proctype Other() {
  byte count;
  do
  :: count < SWITCHES ->
    count++;
    atomic { root == FREE -> root = OTHER };
#ifdef OTHER_HAS_FILE
    atomic { file == FREE -> file = OTHER };
    if
    :: onDisk++
    :: skip  /* It follows a switch. */
    fi;
    file = FREE;
#else
    onDisk++;
#endif
    root = FREE;
    switches++
  :: count == SWITCHES -> break
  od
}

/* Everything has ended, and no member has anything left to do. */
#define isQuiet \
  (switches == SWITCHES + 1 && shown == onDisk && scopeTurn == FREE && waiting == 0)

proctype Checking() {
  if
  :: atomic { isOpened && isQuiet -> assert(place == onDisk && runPlace == onDisk && runGeneration == generation) }
  :: isRefused && isQuiet
  fi
}

init {
  atomic {
    run Opening();
    run Switching();
    run Following();
    run Beginning();
    run Other();
#ifndef LIVENESS
    run Checking()
#endif
  }
}

#ifdef LIVENESS
ltl finishes { <> ((isOpened || isRefused) && isQuiet) }
#endif
