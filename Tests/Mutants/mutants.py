"""Deliberate faults, each of which a test must find; `.ci/machine mutants` builds the package with one after the other.

The finder is a filter of tests, or the driver of another machine with its arguments. A fault replaces pieces of the code.
Each piece must occur exactly once, so that a fault does not disappear unnoticed when the code changes.
"""


class Mutant:
    def __init__(self, name, finder, *edits, release=False):
        self.name = name
        self.finder = finder
        self.edits = edits
        self.release = release


GROUPS = "Sources/AppGroups/"
MUTANTS = [
    # Shared files and suites.
    Mutant("an update that unlocks the file before it has changed it", r"AppGroupsTests\.IncrementTests",
        (GROUPS + "File/SharedFileEngine+Writing.swift",
         "        stored = try self.stored(in: file, trustsEmptiness: trustsEmptiness)\n",
         "        stored = try self.stored(in: file, trustsEmptiness: trustsEmptiness)\n"
         "        file.unlock()\n")),
    Mutant("an update that begins with the value in memory", r"AppGroupsTests\.IncrementTests",
        (GROUPS + "File/SharedFileEngine+Writing.swift",
         "    if data == begun.known { return Stored(value: begun.current, data: data, epoch: begun.epoch) }",
         "    if begun.known != nil { return Stored(value: begun.current, data: data, epoch: begun.epoch) }")),
    Mutant("an update without effect that returns to an older value", r"AppGroupsTests\.UpdatingTests",
        (GROUPS + "File/SharedFileEngine+Writing.swift",
         "        if let presence, !memory.knows(data, nil, since: presence) { return nil }\n",
         "")),
    Mutant("a change of a suite that returns to an older file", r"AppGroupsTests\.SuiteReplacingTests",
        (GROUPS + "File/SharedFileEngine+Settling.swift",
         "isFollowed, memory.knows(stored.data, mark, since: stored.epoch) else {",
         "isFollowed else {")),
    Mutant("a suite that brings an older file up to date", r"AppGroupsTests\.SuiteReplacingTests",
        (GROUPS + "File/SharedFileEngine+Settling.swift",
         "        guard memory.knows(data, mark, since: taken.epoch) else { return nil }\n",
         "")),
    Mutant("a copy of a journal that is taken for the journal", r"AppGroupsTests\.SuiteReplacingTests",
        (GROUPS + "File/SharedFileEngine+Journal.swift",
         "    journal?.header == known?.header && journal?.file.identity == known?.file.identity",
         "    journal?.header == known?.header")),
    Mutant("postponed reads of a file that multiply", r"AppGroupsTests\.InjectedChangesTests",
        (GROUPS + "File/SharedFileState.swift",
         "    return postponedLook == nil\n",
         "    return true\n")),
    Mutant(
        "a write that replaces a sealed file for want of its key", r"AppGroupsTests\.SealedFileTests",
        (GROUPS + "File/SharedFileEngine+Writing.swift",
         "      try checkKey(of: file)\n",
         "")),
    Mutant("an update that may replace a sealed file", r"AppGroupsTests\.SealedFileTests",
        (GROUPS + "File/SharedFileEngine+Writing.swift",
         "    return error.isAboutContent && !error.isAboutKey",
         "    return error.isAboutContent")),
    Mutant(
        "a sealed record that is passed over for want of its key", r"AppGroupsTests\.SealedSuiteTests",
        (GROUPS + "Suite/SuiteFormat.swift",
         "        throw .unknownKey(url, key: key)\n      } catch .unopenable",
         "        _ = key\n        opened.append(Self.invalid)\n      } catch .unopenable")),
    Mutant(
        "changes in the journal of a sealed suite that are not sealed", r"AppGroupsTests\.SealedSuiteTests",
        (GROUPS + "Suite/SuiteFormat.swift",
         "        case .record(let record): .record(try self.sealed(record))",
         "        case .record(let record): .record(record)")),
    Mutant("a journal that counts beside any file", r"AppGroupsTests\.SuiteJournalTests",
        (GROUPS + "Suite/Journal/JournalHeader.swift",
         "    UInt64(content.count) == baseSize && content.withUnsafeBytes { Checksum.of($0) } == baseChecksum",
         "    true")),
    Mutant("a change that counts although an earlier one is lost", r"AppGroupsTests\.JournalTests",
        (GROUPS + "Suite/Journal/Journal.swift",
         "      if beginning == nil, Self.isUnwritten(bytes[offset..<next]) {",
         "      if false {")),
    Mutant("a record that is appended behind a hole", r"AppGroupsTests\.SuiteJournalFaultTests",
        (GROUPS + "File/SharedFileEngine+Settling.swift",
         "      guard mark.journal.file.isWritable, !mark.isClosed else { return nil }",
         "      guard mark.journal.file.isWritable else { return nil }")),
    Mutant("a rename before the content is complete", r"AppGroupsTests\.TornReadTests",
        ("Sources/FileSignals/Durable/PreparedWrite.swift",
         "      try open()\n      try data.withUnsafeBytes",
         "      try open()\n"
         "      _ = renameat(\n"
         "        file.descriptors.folder.number, file.descriptors.temporaryName,\n"
         "        file.descriptors.directory.number, file.descriptors.name)\n"
         "      try data.withUnsafeBytes"),
        ("Sources/FileSignals/Durable/PreparedWrite.swift",
         "directory, descriptors.name) == 0 else {", "directory, descriptors.name) == 0 || errno == ENOENT else {")),
    Mutant("a suite that sets a key without reading the file", r"AppGroupsTests\.SuiteProcessTests",
        (GROUPS + "Suite/AppGroupsSuite+Writing.swift",
         "    var contents = stored.value\n", "    var contents = value\n"),
        (GROUPS + "Suite/AppGroupsSuite+Writing.swift",
         "        contents[name] = entry\n", "        contents = value\n        contents[name] = entry\n")),
    Mutant("a directory that is not synchronized", r"AppGroupsTests\.DurabilityTests",
        ("Sources/FileSignals/Durable/ExclusiveFile.swift",
         "  package func synchronizeDirectory() throws(DurableFileError) {\n",
         "  package func synchronizeDirectory() throws(DurableFileError) {\n    if getpid() > 0 { return }\n")),
    Mutant("a file that cannot be examined counts as missing",
        r"FileSignalsTests\.AbsenceTests|AppGroupsTests\.UnknownFileTests|ContainersTests\.UnknownEntryTests",
        ("Sources/FileSignals/System/FileStatus.swift",
         "    if errno == ENOENT || errno == ENOTDIR { return nil }", "    if errno != 0 { return nil }")),
    # Logs.
    Mutant(
        "a position that is saved before the event is handled", r"AppGroupsTests\.(LogProcessTests|LogReplacingTests)",
        (GROUPS + "Log/Consumers/LogAudience.swift",
         "      state.cursor.give(entry.position, of: entry.id.producer)\n",
         "      state.cursor.give(entry.position, of: entry.id.producer)\n"
         "      state.cursor.handle(entry.position, of: entry.id.producer)\n")),
    Mutant(
        "trimming that ignores a consumer", r"AppGroupsTests\.LogTrimmingTests",
        (GROUPS + "Log/Consumers/LogTrimmer.swift",
         "(!consumers.isEmpty && consumers.allSatisfy { has($0, read: segment) })",
         "(!consumers.isEmpty && consumers.dropFirst().allSatisfy { has($0, read: segment) })")),
    Mutant(
        "a replaced loop whose unfinished events count as handled", r"AppGroupsTests\.LogReplacingTests",
        (GROUPS + "Log/Consumers/LogAudience+State.swift",
         "      if !isEmpty, hasOrphans {", "      if !isEmpty, hasOrphans, generation < 0 {")),
    Mutant(
        "an event that is delivered without a look for its cause", r"AppGroupsTests\.LogCauseTests",
        (GROUPS + "Log/Reading/ProducerMerge.swift",
         "      guard isLimited || reader.stamp <= checkedStamp else {",
         "      guard isLimited || reader.stamp <= .max else {")),
    # Databases.
    Mutant(
        "row Ordering: a feed out of order", r"StoresTests\.DatabaseShareTests",
        ("Sources/Stores/Share/ShareTables.swift",
         "WHERE sequence > ? ORDER BY sequence LIMIT ?", "WHERE sequence > ? ORDER BY sequence DESC LIMIT ?")),
    Mutant(
        "a position of a share that is written some time after the subscription", r"StoresTests\.ShareAuthorTests",
        ("Sources/Stores/Share/DatabaseShare.swift", "engine.feed.join()", "engine.feed.begin()")),
    Mutant(
        "two copies of a database in one folder", r"StoresTests\.BackupRaceTests",
        ("Sources/Stores/Backup/DatabaseCopy.swift",
         "\\(Self.prefix)\\(UUID.random().uuidString)\"", "\\(Self.prefix)00000000-0000-0000-0000-000000000000\""),
        ("Sources/Stores/Backup/DatabaseCopy.swift",
         "guard mkdir(path, 0o700) == 0 else {", "guard mkdir(path, 0o700) == 0 || errno == EEXIST else {"),
        ("Sources/Stores/Backup/DatabaseCopy.swift",
         "        guard let lock = try Self.lock(path) else { continue }",
         "        guard let lock = try FileLock.acquired(at: URL(filePath: \"\\(path)/\\(UUID.random())\"))\n"
         "        else { continue }")),
    Mutant(
        "a database whose link is not resolved", r"StoresTests\.LinkedDatabaseTests",
        ("Sources/Stores/Database/DatabaseLocation.swift",
         "    guard case .file(let url) = self, let path = canonicalPath(ofFile: url.path) else { return self }",
         "    guard case .file(let url) = self, let path = canonicalPath(ofFile: url.path), getpid() < 0\n"
         "    else { return self }")),
    Mutant(
        "openings that wait for each other", r"StoresTests\.StoreOpeningTests",
        ("Sources/Stores/Store/Store+Openings.swift",
         "        next = opener(of: wanted)\n        if next == thread { return false }\n",
         "        next = opener(of: wanted)\n")),
    Mutant(
        "a full-text index that compares texts by their collation", r"StoresTests\.SearchCollationTests",
        ("Sources/Stores/Search/SearchTables.swift", "form == .current ? \" COLLATE", "form != .current ? \" COLLATE")),
    Mutant(
        "a window that begins at the empty text", r"StoresTests\.Window.*",
        ("Sources/Stores/Window/WindowRead.swift",
         "    case .text: Condition(.sql(\"\\(SQL.name(order.column.description)) < x''\", []))",
         "    case .text: comparison(order, .greaterOrEqual, .text(\"\"))")),
    Mutant(
        "a migration that forgets what depends on its table", r"StoresTests\.DependentTests",
        ("Sources/Stores/Schema/Migration.swift", "    try dependents.restore(on: connection)\n", "    _ = dependents\n")),
    Mutant(
        "a relative URL that loses its base", r"StoresTests\.RoundTripTests",
        ("Sources/Stores/Model/RowEncoder.swift",
         "    if let base = url.baseURL {", "    if let base = url.baseURL, base.path.isEmpty, url.path.count < 0 {")),
    # Environments.
    Mutant(
        "row Crash-safe switch: a switch that is published before its files are in place", r"ContainersTests\.CrashTests",
        ("Sources/Containers/Engine/ContainerAccess+Switching.swift",
         "      try moves.perform()\n      // No process shows", "      // No process shows"),
        ("Sources/Containers/Engine/ContainerAccess+Switching.swift",
         "      try store.commit(prepared, changed, file) { engine.step($0) }\n",
         "      try store.commit(prepared, changed, file) { engine.step($0) }\n      try moves.perform()\n")),
    Mutant(
        "a read of files that a killed switch has moved", r"ContainersTests\.CrashTests",
        ("Sources/AppGroups/Scope/Scope.swift",
         "    return mark != nil && owner.mark == mark ? try result.get()",
         "    return mark != nil || owner.mark == mark ? try result.get()")),
    Mutant(
        "an observer that never rests in a storm", r"FileSignalsTests\..*Pending events",
        ("Sources/FileSignals/Watching/Changes/PendingEvents.swift",
         "  private static let stormStreak = 2", "  private static let stormStreak = Int.max")),
    Mutant(
        "a copy of a database whose log was started again while it was read", r"ContainersTests\.FileSnapshotTests",
        ("Sources/Containers/Tree/FileSnapshot.swift",
         "parts[0].isUnchanged, isSameLog else", "parts[0].isUnchanged else")),
    Mutant(
        "a clone that copies a database file by file", r"ContainersTests\.DatabaseCopyTests",
        ("Sources/Containers/Tree/FileSnapshot.swift",
         "    guard log || journal || isDatabase else {",
         "    guard isDatabase, log, journal, getpid() < 0 else {")),
    # Sessions.
    Mutant(
        "a renewal without the lock of the other processes",
        r"ContextsTests\.(ContextProcessTests|KnownUserProcessTests)",
        ("Sources/Contexts/Session/RenewalAttempt.swift",
         "    locks.appending(path: UserDirectory.name(for: userID), directoryHint: .notDirectory)",
         "    locks.appending(\n"
         "      path: UserDirectory.name(for: userID) + \"\\(getpid())\", directoryHint: .notDirectory)")),
    Mutant(
        "an answer of the server that is forgotten when its user leaves", r"ContextsTests\.LateRenewalTests",
        ("Sources/Contexts/Session/SessionMachine+KnownUsers.swift",
         "    if unwritten.attempt.session.user.id != next { keepLateAnswer(.late(unwritten)) }\n",
         "    _ = (unwritten, next)\n")),
    Mutant(
        "a note of a renewal that replaces another user's", r"ContextsTests\.UserChangeTests",
        ("Sources/Contexts/Session/RenewalAttempt.swift",
         "    let others = try readForWriting().filter { $0.userID != claim.userID && isNeeded($0.userID ?? \"\") }",
         "    let others = try readForWriting().filter { isNeeded($0.userID ?? \"\") && getpid() < 0 }")),
    # Flags.
    Mutant(
        "an older answer that replaces a newer patch", r"TweaksTests\.RemoteOrderTests",
        ("Sources/Tweaks/Remote/Machine/RemoteMachine+Answers.swift",
         "    if order == .newer { adopt(content, &turn) }", "    adopt(content, &turn)")),
    Mutant("a shared value that leaves a gap open", r"TweaksTests\.SharedStreamTests",
        ("Sources/Tweaks/Remote/Machine/RemoteMachine+Sharing.swift",
         "    return !stream.hasGap\n", "    return true\n")),
    # Clusters.
    Mutant(
        "a key that is removed only by the task that may be cancelled",
        r"ClusterTests\.(MembersTests|UncertainWriteTests)",
        ("Sources/Cluster/Members/Membership.swift",
         "    return attempt.map { Self.removal(of: $0, from: core) }",
         "    return Task.isCancelled ? nil : attempt.map { Self.removal(of: $0, from: core) }")),
    Mutant(
        "a lease whose end is noticed only at the next renewal", r"ClusterTests\.(MembersTests|SessionTests)",
        ("Sources/Cluster/Writing/ClusterSession.swift",
         "          if self?.isOver(lease.id) != false { return }",
         "          if self?.isCurrent(lease.id) != nil { return }")),
    Mutant(
        "a database in new contents whose log is opened by the first read", r"ContainersTests\.OpeningDuringSwitchTests",
        ("Sources/Stores/Database/ReaderPool.swift",
         "Reader(connection: try connect())", "Reader(connection: try file.reader())")),
    # Two versions at once.
    Mutant(
        "a file whose lock has another name than in earlier versions", "Tests/Versions/versions.py file",
        ("Sources/FileSignals/Durable/FileDescriptors.swift",
         "(resolved.name + \".lock\",", "(resolved.name + \".held\",")),
    Mutant(
        "a new version of a format that uses nothing new", "Tests/Versions/versions.py user-defaults",
        ("Sources/Containers/Settings/DefaultsSettings.swift",
         "  private static let version = 1\n", "  private static let version = 2\n"),
        ("Sources/Containers/Settings/DefaultsSettings.swift",
         "(version, reads: Self.version...Self.version)", "(version, reads: 1...Self.version)")),
    # Requests.
    Mutant(
        "a redirection that is followed with the key", r"(RequestsTests|TweaksTests)\..*",
        ("Sources/Requests/RequestReceivers.swift",
         "    completionHandler(nil)\n", "    completionHandler(request)\n")),
    # The core.
    Mutant(
        "a subscriber that may be freed while it is being cancelled", "SignalsTests.StormTests",
        ("Sources/Signals/SignalSubscription.swift",
         "    self.node = .passRetained(node)\n", "    self.node = .passUnretained(node)\n"),
        ("Sources/Signals/Core/SourceCore.swift", "$0.node.take()?.release()", "$0.node = nil"),
        ("Sources/Signals/Core/SourceCore.swift",
         "    guard let node = subscription.node.take()?.takeRetainedValue() else { return lock.unlock() }\n"
         "    interest.wrappingSubtract(1, ordering: .relaxed)\n",
         "    guard let reference = subscription.node else { return lock.unlock() }\n"
         "    interest.wrappingSubtract(1, ordering: .relaxed)\n"
         "    let node = reference.takeUnretainedValue()\n    subscription.node = nil\n"),
        release=True),
    # Features of the older systems: the rows that `rows.py` draws, each without the behaviour that it promises.
    Mutant(
        "row Nested managers: a manager that tells a manager of no change", r"TweaksTests\.ManagerTests",
        ("Sources/Tweaks/Manager/TweakManager+Reading.swift",
         "    return .asking(answers, following: updateEmitter)",
         "    return .asking(answers, following: Emitter<TweakUpdate, Never>())")),
    Mutant(
        "row Exclude persistence: excluded paths that are not stored", r"ContainersTests\.HazardTests",
        ("Sources/Containers/Engine/ContainerState.swift",
         "uuids: ids.map { ContainerLayout.name($0) }, excludes: excludes,",
         "uuids: ids.map { ContainerLayout.name($0) }, excludes: [],")),
    Mutant(
        "row Discovery: names of ended processes that stay", r"StoresTests\.AuthorNameTests",
        ("Sources/Stores/Share/AuthorName.swift", "      unlink(url(name).path)\n", "      _ = url(name)\n")),
    Mutant(
        "row Persistent provider: preferences that are stored without their feature", r"TweaksTests\.FlagHazardTests",
        ("Sources/Tweaks/Providers/UserDefaultsTweakProvider.swift",
         "prefix + TweakName.text(of: id) }", "prefix + id.variable }")),
    Mutant(
        "row Versioned payload: content without a version that counts as current", r"AppGroupsTests\.VersionTests",
        (GROUPS + "File/Format/FileVersions.swift",
         "    let found = parsed.version ?? unversioned", "    let found = parsed.version ?? current")),
    Mutant(
        "row Panel search: a search that distinguishes case", r"TweaksTests\.PanelTests",
        ("Sources/Tweaks/Panel/TweakPanel.swift", "$0.lowercased().contains(wanted)", "$0.contains(wanted)")),
    Mutant(
        "row Panel reset: a reset of all overrides but one", r"TweaksTests\.PanelTests",
        ("Sources/Tweaks/Panel/TweakPanel.swift",
         "manager.overriddenIDs.sorted().map", "manager.overriddenIDs.sorted().dropLast().map")),
    Mutant(
        "row Clean: an inactive environment that keeps its files", r"ContainersTests\.ManagingTests",
        ("Sources/Containers/Engine/ContainerAccess+Managing.swift",
         "          (data, discarded.appending(\"old data\")), (ContainerLayout.data(name), data),",
         "          (ContainerLayout.data(name), data),")),
    Mutant(
        "row Scope: changes outside of the scope that are shared", r"StoresTests\.DatabaseShareTests",
        ("Sources/Stores/Share/ShareRecorder.swift",
         "table == SQL.jobTable || scope?.contains(table) ?? true }",
         "table == SQL.jobTable || !table.isEmpty || scope?.contains(table) ?? true }")),
    Mutant(
        "a version whose maker is noted with another version", r"AppGroupsTests\.ProvenanceTests",
        ("Sources/FileSignals/Durable/ProvenanceRecord.swift",
         "guard let found = decode(record), found.version == version else { continue }",
         "guard let found = decode(record) else { continue }")),
    Mutant(
        "a writer that replaces the record of the present version", r"AppGroupsTests\.ProvenanceTests",
        ("Sources/FileSignals/Durable/ProvenanceRecord.swift",
         "times.indices.min { times[$0] < times[$1] }",
         "times.indices.max { times[$0] < times[$1] }")),
    Mutant(
        "a change that is attributed to the process that has its maker's place now",
        r"AppGroupsTests\.ProvenanceTests",
        ("Sources/FileSignals/Durable/MakerReference.swift",
         "guard let maker = maker(at: reference.place, in: lock), maker.version == VersionMark(tag: reference.tag) else {",
         "guard let maker = maker(at: reference.place, in: lock) else {")),
    Mutant(
        "a suite that is attributed to the process that brought its file up to date", r"AppGroupsTests\.ProvenanceTests",
        (GROUPS + "File/SharedFileEngine+Settling.swift",
         "    .init(keeping: mark.version.flatMap { file.provenance(of: $0) })",
         "    .current")),
    Mutant(
        "row Legacy reader: environments that lose their names", r"ContainersTests\.LegacyTests",
        ("Sources/Containers/Engine/LegacyContainers.swift",
         "name: record.name ?? id.uuidString, description", "name: id.uuidString, description")),
    Mutant(
        "row Default container: existing files that are put aside", r"ContainersTests\.ManagingTests",
        ("Sources/Containers/Engine/ContainerAccess.swift",
         "      state.revision = 1\n",
         "      for name in try root.names() where !name.text.hasPrefix(\".\") { try hidden.putAside(name, of: root) }\n"
         "      state.revision = 1\n")),
    Mutant(
        "row Watcher lifecycle: a property that does not keep its file", r"AppGroupsTests\.ObserverTests",
        (GROUPS + "File/AppGroupsFile.swift",
         "Property(engine.value, keeping: engine)", "Property(engine.value, keeping: engine.value)")),
    Mutant(
        "row Durable file write: a replaced file that loses its mode", r"FileSignalsTests\..*A durable file",
        ("Sources/FileSignals/Durable/PreparedWrite.swift", "mode ?? old?.permissions ?? 0o600", "mode ?? 0o600")),
    Mutant(
        "row List: environments without their descriptions", r"ContainersTests\.StoredEnvironmentTests",
        ("Sources/Containers/Engine/ContainerStore.swift",
         "name: info.name, description: info.description,", "name: info.name, description: nil,")),
    Mutant(
        "row Change feed: a notification without its change", r"TweaksTests\.TweakNotificationTests",
        ("Sources/Tweaks/Manager/TweakManager+Observing.swift",
         "userInfo: [\"change\": change]", "userInfo: [\"tweak\": change]")),
    Mutant(
        "row Initial drain: waiting changes that are delivered at the next write", r"StoresTests\.ShareHazardTests",
        ("Sources/Stores/Share/ShareFeed.swift",
         "      tolerating { try write() }\n    }\n    begin()\n", "      tolerating { try write() }\n    }\n")),
    Mutant(
        "row Watch survives replace: a watch that is not told of what is moved into its directory",
        r"FileSignalsTests\..*A file observer",
        ("Sources/FileSignals/Watching/Backend/WatchBackend+Inotify.swift",
         "      IN_MOVED_TO | IN_CLOSE_WRITE | IN_CREATE", "      IN_CLOSE_WRITE | IN_CREATE")),
    Mutant(
        "row Echo suppression: equal content that is sent again", r"AppGroupsTests\.WritingTests",
        (GROUPS + "File/SharedFileEngine.swift",
         "      if data == begun.known { return Sight(look: .unchanged) }",
         "      if data == begun.known, data.isEmpty { return Sight(look: .unchanged) }")),
    # Tweaks that are asked for or declared.
    Mutant(
        "a typed read that keeps the value of a provider without updates", r"TweaksTests\.UnannouncedTests",
        ("Sources/Tweaks/Manager/TweakManager+Refreshing.swift",
         "    return known.isUnannounced ? askNow(.tweak(slot.id), otherwise: known) : known", "    return known")),
    Mutant(
        "an undeclared tweak that was listed before it was read", r"TweaksTests\.DeclarationTests",
        ("Sources/Tweaks/Evaluation/TweakExposure.swift",
         "state.recorder != nil || declarations != nil }", "state.recorder != nil }")),
    Mutant(
        "an inspector that takes the second half of a change for unchanged", r"InspectorTests\.EnvironmentChangingTests",
        ("Sources/Inspector/Changing/Inspector+Changing.swift",
         "refresh(isAsking: false, reading: change.resource?.path)", "refresh(isAsking: false)")),
    # Work queues.
    Mutant(
        "a job that a worker finishes after it was claimed again", r"StoresTests\.QueueProcessTests",
        ("Sources/Stores/Queue/JobTable.swift",
         "\"WHERE id = ? AND attempt = ? AND worker = ? AND state = 2\"",
         "\"WHERE id = ? AND ? > 0 AND ? <> ''\"")),
    Mutant(
        "a claim that holds in a copy of its contents", r"StoresTests\.QueueScopeTests",
        ("Sources/Stores/Queue/ClaimedJob.swift",
         "guard engine.isCurrent(worker), engine.fileNumber == fence.file, try", "guard try")),
    Mutant(
        "a worker that does not look after the others", r"StoresTests\.QueueProcessTests",
        ("Sources/Stores/Queue/QueueEngine.swift",
         "      if worker === new { new.follow { [weak self] in self?.rescue() } }\n", "")),
    Mutant(
        "a job that is taken from a living worker", r"StoresTests\.QueueProcessTests",
        ("Sources/Stores/Queue/QueueWorker.swift",
         "return try presence.isPresent(id) ? .unseen", "return try presence.isPresent(id) ? .absent")),
    Mutant(
        "a job that stays after its end", r"StoresTests\.WorkQueueTests",
        ("Sources/Stores/Queue/JobTable.swift",
         "      case .removed: (\"DELETE FROM signals_job\", [])",
         "      case .removed: (\"UPDATE signals_job SET progress = 1\", [])")),
]
