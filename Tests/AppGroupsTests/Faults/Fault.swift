import CLibrary
import Foundation
import TestSupport

/// A fault of a file or of its surroundings.
enum Fault: String, CaseIterable {
  // No change may be lost, whatever else happens to the file.
  case killing, freezing, freezingAnObserver, overflow, limitingSizes, touching, sameTimes
  case modeOfFile, modeOfDirectory, ownerOfFile, staleTemporary, temporaryRemoved, directoryForTemporary
  case fullDisk, readOnlyDisk

  // Other programs replace the file or break the lock, so concurrent changes may be lost.
  case missing, empty, garbage, half, directory, pipe, socket, linkToNowhere, linkToItself, linkOut, linkInside
  case replaced, rewritten, movedAway
  case noFilesDirectory, filesDirectoryMoved, fileForFilesDirectory, noContainer, containerMoved
  case noSharedFolder, noSidecar

  /// A Boolean value that indicates whether the stored value survives the fault and no change is lost.
  var isGentle: Bool {
    switch self {
    case .killing, .freezing, .freezingAnObserver, .overflow, .limitingSizes, .touching, .sameTimes, .modeOfFile,
      .modeOfDirectory, .ownerOfFile, .staleTemporary, .temporaryRemoved, .directoryForTemporary, .fullDisk,
      .readOnlyDisk:
      true
    default: false
    }
  }

  /// The faults of a disk rather than of a file.
  static let ofDisks: Set<Fault> = [.fullDisk, .readOnlyDisk]
  static let gentle = allCases.filter(\.isGentle)
  static let violent = allCases.filter { !$0.isGentle }

  /// The report that every observer must send if the fault stays, in the words of its status; `nil` if none is due.
  var dueReport: String? {
    switch self {
    case .missing, .movedAway: "missing"
    case .noFilesDirectory, .filesDirectoryMoved, .noContainer, .containerMoved: "missing"
    case .empty: "empty"
    case .garbage, .half: "cannot be"
    case .directory: "is a directory"
    case .pipe: "is a named pipe"
    case .socket: "is a socket"
    case .linkToNowhere: "does not exist"
    case .linkToItself: "a cycle of symbolic links"
    case .linkOut: "outside the"
    case .fileForFilesDirectory: "There is no directory"
    case .modeOfFile, .modeOfDirectory, .ownerOfFile: "No permission"
    default: nil
    }
  }

  /// A Boolean value that indicates whether the fault does not affect root, who ignores modes.
  var sparesRoot: Bool { [.modeOfFile, .modeOfDirectory, .ownerOfFile].contains(self) }
}

/// The location where a fault is applied and reverted.
struct FaultSite {
  let container: URL
  let name: String

  var files: URL { container.appending(path: "Files", directoryHint: .isDirectory) }
  var file: URL { files.appending(path: name) }
  private var shared: URL { files.appending(path: ".shared", directoryHint: .isDirectory) }
  private var temporary: URL { shared.appending(path: name + ".tmp") }
  private var away: URL { URL(filePath: container.path + ".away") }
  private var outside: URL { URL(filePath: container.path + ".outside") }

  /// Applies the fault.
  ///
  /// Obstacles are ignored, because others work at the same time.
  func make(_ fault: Fault) {
    switch fault {
    case .touching:
      chmod(file.path, 0o640)
      chmod(file.path, 0o600)
    case .sameTimes:
      var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
      utimensat(AT_FDCWD, file.path, &times, 0)
    case .modeOfFile: chmod(file.path, 0)
    case .modeOfDirectory: chmod(files.path, 0)
    case .ownerOfFile: if geteuid() == 0 { chown(file.path, 0, 0) } else { chmod(file.path, 0) }
    case .staleTemporary: put("of a writer who died", at: temporary, flags: O_CREAT | O_EXCL)
    case .temporaryRemoved: for _ in 0..<50 where unlink(temporary.path) == 0 { break }
    case .directoryForTemporary: for _ in 0..<50 where mkdir(temporary.path, 0o700) == 0 { break }
    case .missing: unlink(file.path)
    case .empty: put("", at: file, flags: O_CREAT | O_TRUNC)
    case .garbage: put("\u{0}\u{1}not JSON", at: file, flags: O_CREAT | O_TRUNC)
    case .half: put(#"{"epoch": 1, "tal"#, at: file, flags: O_CREAT | O_TRUNC)
    case .directory: replace { mkdir(file.path, 0o700) }
    case .pipe: replace { mkfifo(file.path, 0o600) }
    case .socket: replace { makeSocket() }
    case .linkToNowhere: replace { symlink("nowhere", file.path) }
    case .linkToItself: replace { symlink(name, file.path) }
    case .linkOut:
      put("{}", at: outside, flags: O_CREAT | O_TRUNC)
      replace { symlink(outside.path, file.path) }
    case .linkInside:
      rename(file.path, files.appending(path: "target").path)
      symlink("target", file.path)
    case .replaced, .rewritten: break
    case .movedAway: rename(file.path, away.path)
    case .noFilesDirectory: remove(files)
    case .filesDirectoryMoved: rename(files.path, away.path)
    case .fileForFilesDirectory:
      rename(files.path, away.path)
      put("in the way", at: URL(filePath: files.path), flags: O_CREAT)
    case .noContainer: remove(container)
    case .containerMoved: rename(container.path, away.path)
    case .noSharedFolder: remove(shared)
    case .noSidecar: unlink(shared.appending(path: name + ".lock").path)
    case .fullDisk: fill()
    default: break
    }
  }

  /// Reverts the fault where that does no harm.
  func unmake(_ fault: Fault) {
    switch fault {
    case .modeOfFile, .touching: chmod(file.path, 0o600)
    case .modeOfDirectory: chmod(files.path, 0o700)
    case .ownerOfFile:
      own(file)
      chmod(file.path, 0o600)
    case .directoryForTemporary: rmdir(temporary.path)
    case .movedAway: rename(away.path, file.path)
    case .filesDirectoryMoved: rename(away.path, files.path)
    case .containerMoved: rename(away.path, container.path)
    case .fullDisk: unlink(container.appending(path: "filler").path)
    default: break
    }
  }

  /// Restores everything except the file, so that any process can write it again.
  func clear() throws {
    let manager = FileManager.default
    if !isDirectory(container) { try manager.createDirectory(at: container, withIntermediateDirectories: true) }
    if !isDirectory(files) {
      remove(files)
      try manager.createDirectory(at: files, withIntermediateDirectories: false)
    }
    chmod(files.path, 0o700)
    // A write keeps the mode of the file.
    if kind(of: file) == S_IFREG { chmod(file.path, 0o600) } else { remove(file) }
    if kind(of: temporary) == S_IFDIR { remove(temporary) }
    for leftover in [away, outside, container.appending(path: "filler"), files.appending(path: "target")] {
      remove(leftover)
    }
    own(container)
    own(files)
    for entry in (try? manager.subpathsOfDirectory(atPath: files.path)) ?? [] { own(files.appending(path: entry)) }
  }

  /// The user that the peers become, because root is denied nothing.
  static let user: uid_t = 65_534

  /// Gives a file to the peers' user.
  func own(_ url: URL) {
    if geteuid() == 0 { lchown(url.path, Self.user, Self.user) }
  }

  /// Replaces the file atomically, as well-behaved programs do.
  ///
  /// Without the directory, it does nothing.
  func replace(with data: Data) {
    let new = container.appending(path: "new")
    put(String(decoding: data, as: UTF8.self), at: new, flags: O_CREAT | O_TRUNC)
    chmod(new.path, 0o600)
    own(new)
    rename(new.path, file.path)
  }

  /// Rewrites the file in place, as badly behaved programs do.
  func rewrite(with data: Data) {
    put(String(decoding: data, as: UTF8.self), at: file, flags: O_CREAT | O_TRUNC)
  }

  /// Causes 24,000 events in the directory with two alternating files, because equal consecutive events merge.
  func flood() {
    for _ in 0..<12_000 {
      for name in ["flood", "flood too"] { put("", at: files.appending(path: name), flags: O_CREAT) }
    }
    for name in ["flood", "flood too"] { unlink(files.appending(path: name).path) }
  }

  // MARK: Files

  private func put(_ text: String, at url: URL, flags: CInt) {
    let descriptor = open(url.path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW | flags, 0o600)
    guard descriptor >= 0 else { return }
    if !text.isEmpty { write(descriptor, text, text.utf8.count) }
    own(url)
    close(descriptor)
  }

  /// Removes the file and tries to create something else in its place first.
  private func replace(_ make: () -> CInt) {
    for _ in 0..<50 {
      unlink(file.path)
      if make() == 0 { break }
    }
    own(file)
  }

  private func fill() {
    let filler = container.appending(path: "filler").path
    let descriptor = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    let block = [UInt8](repeating: 0, count: 4096)
    while write(descriptor, block, block.count) > 0 {}
    close(descriptor)
  }

  private func makeSocket() -> CInt {
    #if canImport(Glibc)
      mknod(file.path, S_IFSOCK | 0o600, 0)
    #else
      mkfifo(file.path, 0o600)
    #endif
  }

  private func remove(_ url: URL) {
    // Others may be creating entries in it at the same time.
    for _ in 0..<20 {
      try? FileManager.default.removeItem(at: URL(filePath: url.path))
      if kind(of: url) == nil { return }
    }
  }

  private func isDirectory(_ url: URL) -> Bool { kind(of: url) == S_IFDIR }

  private func kind(of url: URL) -> mode_t? {
    var status = stat()
    return lstat(url.path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }
}
