import AppGroups
import CLibrary
import FileSignals
import Foundation
import Signals

/// The files of a ``TweakCache``.
///
/// Its methods may wait for the disk. A failure never keeps the provider from working: it is reported, and the cache is
/// treated as empty.
final class CacheStore: Sendable {
  private let cache: TweakCache
  private let key: [UInt8]
  private let provider: String
  private let faults: TweakFaults

  /// The entries that a newer version has written, which are not replaced.
  private let newer = Guarded<Set<String>>([])

  /// The longest time to wait for another process, which may be stopped.
  private static let lockTimeout = Duration.seconds(2)

  init(_ cache: TweakCache, provider: String, faults: TweakFaults) {
    self.cache = cache
    self.provider = provider
    self.faults = faults
    do {
      key = try CacheKey.read(cache.keyFile)
    } catch {
      key = CacheKey.random()
      failed(.read, cache.keyFile, error)
    }
  }

  // MARK: Failures

  /// The operations on a file, each of which ends its own failures when it succeeds.
  private enum Operation: String {
    case claim, follow, read, write, remove

    func name(_ url: URL) -> String { "\(rawValue) \(url.path)" }
  }

  private func failed(_ operation: Operation, _ url: URL, _ error: any Error) {
    let fault = TweakError.unusableCache(url, provider: provider, reason: CacheKey.reason(error))
    faults.report(fault, of: operation.name(url))
  }

  private func succeeded(_ operation: Operation, _ url: URL) { faults.removeAll(of: operation.name(url)) }

  // MARK: Names

  /// Returns the user of a context.
  func user(_ context: TweakContext, identityAttributes: Set<String>) -> RemoteUser {
    CacheKey.user(context, key: key, environment: cache.environment, identityAttributes: identityAttributes)
  }

  private func place(_ entry: String) -> URL {
    cache.directory.appending(path: entry + Self.suffix, directoryHint: .notDirectory)
  }

  private static let suffix = ".tweaks"

  /// The file with the date before which the server of the environment wants no request.
  private var pausePlace: URL {
    let name = CacheKey.name(["pause", cache.environment], key: key)
    return cache.directory.appending(path: name + ".pause", directoryHint: .notDirectory)
  }

  // MARK: Other processes

  /// Acquires the lock of the process that asks the server for a user, or returns `nil` if another process has it.
  ///
  /// Without a usable directory, no process can store an answer for the others, and each asks by itself.
  func claim(_ entry: String) -> FetchClaim? {
    let url = claimPlace(entry)
    do {
      try GroupDirectory.makeAll(cache.directory)
      guard let lock = try FileLock.acquired(at: url) else { return nil }
      succeeded(.claim, url)
      return FetchClaim(lock)
    } catch DurableFileError.suspended {
      return nil
    } catch {
      failed(.claim, url, error)
      return FetchClaim(nil)
    }
  }

  private func claimPlace(_ entry: String) -> URL {
    cache.directory.appending(path: entry + ".fetch", directoryHint: .notDirectory)
  }

  /// Returns the changes of a user's entry, or `nil` if it cannot be observed.
  func changes(of entry: String) -> PathChanges? {
    let url = place(entry)
    do {
      try GroupDirectory.makeAll(cache.directory)
      let changes = try PathChanges(file: url)
      succeeded(.follow, url)
      return changes
    } catch {
      failed(.follow, url, error)
      return nil
    }
  }

  // MARK: Reading

  /// Loads the stored values of a user.
  ///
  /// - Parameters:
  ///   - entry: The name of the entry.
  ///   - isUse: A Boolean value that indicates whether the entry counts as used now.
  ///   - decode: A closure that decodes the body of an answer.
  /// - Returns: The values, or `nil` if there are no usable ones.
  func load(_ entry: String, isUse: Bool = true, decode: (Data) throws -> [Tweak]) -> RemoteContent? {
    let url = place(entry)
    do {
      for _ in 0..<Self.maximumReads {
        let stamp = try FileStamp(path: url.path)
        do {
          let found = try content(of: url, isUse: isUse, decode)
          succeeded(.read, url)
          return found
        } catch CacheEntry.Problem.damaged(let reason) {
          guard try putAside(url, ifStill: stamp) else { continue }
          failed(.read, url, CacheEntry.Problem.damaged("\(reason). The file was moved to \"damaged\""))
          return nil
        }
      }
    } catch DurableFileError.notFound, DurableFileError.directoryNotFound {
      return nil
    } catch CacheEntry.Problem.newer {
      newer.withLock { _ = $0.insert(entry) }
    } catch {
      failed(.read, url, error)
    }
    return nil
  }

  /// The largest number of times that an entry is read while other processes replace it.
  private static let maximumReads = 10

  private func content(of url: URL, isUse: Bool, _ decode: (Data) throws -> [Tweak]) throws -> RemoteContent {
    do {
      let data = try DurableFile.read(url, limit: cache.fileLimit)
      let content = try CacheEntry.decode(data, decode)
      // The time of the file is the time of its last use.
      if isUse { utimensat(AT_FDCWD, url.path, nil, 0) }
      return content
    } catch DurableFileError.exceedsLimit(_, let size, let limit) {
      throw CacheEntry.Problem.damaged("its \(size) bytes exceed the limit of \(limit)")
    }
  }

  /// Moves a damaged file away, unless another process has replaced it since it was read.
  ///
  /// - Returns: `false` if the file was replaced, so that it must be read again.
  private func putAside(_ url: URL, ifStill stamp: FileStamp?) throws -> Bool {
    // All writers have the same lock.
    try DurableFile.withLock(on: url, within: Self.lockTimeout) {
      guard let stamp, try FileStamp(path: url.path) == stamp else { return false }
      // Only the last damaged file is kept.
      rename(url.path, cache.directory.appending(path: "damaged").path)
      return true
    }
  }

  /// The stored date before which the server wants no request.
  var notBefore: Date? {
    do {
      let text = String(decoding: try DurableFile.read(pausePlace, limit: 100), as: UTF8.self)
      return Double(text).map { Date(timeIntervalSinceReferenceDate: $0) }
    } catch {
      // Without the file, or with a damaged one, requests are allowed.
      return nil
    }
  }

  // MARK: Writing

  /// Stores the values of a user, unless another process has stored newer ones.
  func store(_ content: RemoteContent, _ entry: String) {
    guard newer.withLock({ !$0.contains(entry) }) else { return }
    write(to: place(entry)) {
      if let stored = stored(entry), stored.outranks(content), !stored.isFromFuture(of: content) { return nil }
      let data = try CacheEntry.encode(content)
      let limit = cache.fileLimit
      guard data.count <= limit else { throw CacheEntry.Problem.damaged("\(data.count) bytes exceed \(limit)") }
      return data
    }
    removeOldEntries()
  }

  /// Returns the version and the dates of the stored values, or `nil` if there are no usable ones.
  private func stored(_ entry: String) -> RemoteContent? {
    do {
      let data = try DurableFile.read(place(entry), limit: cache.fileLimit)
      return try CacheEntry.decode(data) { _ in [] }
    } catch {
      // It is replaced, as every unusable entry.
      return nil
    }
  }

  func store(notBefore date: Date) {
    write(to: pausePlace) { Data("\(date.timeIntervalSinceReferenceDate)".utf8) }
  }

  /// Writes a file with the data that a closure returns while no other process writes it; `nil` keeps the file.
  private func write(to url: URL, _ data: () throws -> Data?) {
    do {
      try GroupDirectory.makeAll(cache.directory)
      try DurableFile.withLock(on: url, within: Self.lockTimeout) {
        guard let data = try data() else { return }
        try DurableFile.write(data, to: url, durability: .process, mode: 0o600)
      }
      succeeded(.write, url)
      // The file is sound now, and the next damage is another one.
      succeeded(.read, url)
    } catch DurableFileError.suspended {
      // The next answer is stored after the suspension.
    } catch {
      failed(.write, url, error)
    }
  }

  /// Removes the least recently used entries beyond the limit.
  private func removeOldEntries() {
    let names: [String]
    do throws(DurableFileError) {
      names = (try DirectoryListing.names(in: cache.directory) ?? []).filter { $0.hasSuffix(Self.suffix) }
    } catch {
      return failed(.read, cache.directory, error)
    }
    succeeded(.read, cache.directory)
    guard names.count > cache.maximumEntries else { return }
    let used = names.compactMap { name -> (url: URL, time: Int64)? in
      let url = cache.directory.appending(path: name, directoryHint: .notDirectory)
      return FileStamp.ifReadable(path: url.path).map { (url, $0.modified) }
    }
    for old in used.sorted(by: { $0.time > $1.time }).dropFirst(cache.maximumEntries) {
      do {
        try DurableFile.remove(old.url)
        unlink(claimPlace(old.url.deletingPathExtension().lastPathComponent).path)
        succeeded(.remove, old.url)
      } catch {
        failed(.remove, old.url, error)
      }
    }
  }
}

/// The turn of this process to ask the server, until it is released.
final class FetchClaim: Sendable {
  private let lock: FileLock?

  init(_ lock: consuming FileLock?) {
    self.lock = lock
  }
}

extension RemoteContent {
  /// Returns a Boolean value that indicates whether the clock was set back since these values were fetched, so that they
  /// cannot be compared with new ones.
  fileprivate func isFromFuture(of new: RemoteContent) -> Bool {
    fetched.timeIntervalSince(new.fetched) > Self.longestLag.inSeconds
  }
}
