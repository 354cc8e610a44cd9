import CLibrary

/// The directories that have to be watched in order to detect every change of a path.
///
/// A path is walked from the root, as the system does. Every directory along it is watched for being moved or removed.
/// If a directory contains a symbolic link of the path, it is also watched for changes of that entry, its *hinge*. The
/// same applies if the next name of the path is missing in it. This detects that a link anywhere in the path is
/// replaced. The last directory is watched for the file, or for all its entries.
///
/// The last directory is also watched through its parent. As long as any process has a directory open, or works in it,
/// the directory's own watch does not report its removal. The directories above it cannot be removed before it is.
struct WatchPlan: Equatable, Sendable {
  /// The kind of file to which the path should lead.
  enum Target: Sendable {
    case file
    /// A file of which every write is reported, and whose directory may be missing.
    case journal
    case directory
    /// A directory in which every write to a file is reported.
    case contents

    var isDirectory: Bool { self == .directory || self == .contents }
  }

  /// A directory to watch.
  struct Place: Equatable, Sendable {
    /// The canonical path.
    let path: String
    /// The identity, which distinguishes this directory from another that takes its place.
    let identity: FileIdentity
    var depth: WatchPoint.Depth
    /// The entries that determine where the path leads.
    var hinges: Set<String> = []
    /// The entry that is the observed file.
    var leaf: String?
    /// A Boolean value that indicates whether this is the observed directory itself.
    var isTarget = false
    /// A Boolean value that indicates whether a name of the path is missing here, so that only this directory reports
    /// its creation.
    var isIncomplete = false

    /// A Boolean value that indicates whether the path cannot be watched without this directory.
    var isEssential: Bool { isTarget || leaf != nil || isIncomplete }
  }

  /// The result of resolving the path.
  enum Outcome: Equatable, Sendable {
    /// The path leads to this directory, or to a name in a directory that exists.
    case reached(String)
    /// The path cannot be followed beyond this point, because of a missing permission or directory.
    case failed(errno: CInt, path: String)
  }

  private(set) var places: [Place] = []
  private(set) var outcome: Outcome

  /// Resolves a path.
  init(path: String, target: Target) {
    outcome = .failed(errno: ENOENT, path: path)
    walk(path, target)
    if let last = places.last(where: { $0.isEssential }) { expectRemoval(of: last.path) }
  }

  private mutating func walk(_ path: String, _ target: Target) {
    var rest = Self.components(Self.absolute(path))
    var current = "/"
    var hops = 0
    guard let root = FileStatus.ifReadable(path: "/") else { return outcome = .failed(errno: errno, path: "/") }
    places = [Place(path: "/", identity: root.identity, depth: .itself)]
    while let name = rest.popLast() {
      if name == ".." {
        expectRemoval(of: current)
        current = FileLocation.split(current).parent
        continue
      }
      let next = current == "/" ? "/\(name)" : "\(current)/\(name)"
      guard let status = FileStatus.ifReadable(path: next, followsLinks: false) else {
        let errno = errno
        // A sandbox may hide the directories above the ones that it permits.
        if errno == EPERM, !rest.isEmpty {
          current = next
          continue
        }
        outcome = .failed(errno: errno, path: next)
        change(current) { $0.isIncomplete = true }
        if rest.isEmpty, !target.isDirectory, errno == ENOENT {
          finish(at: current, leaf: name, target)
        } else {
          hinge(name, in: current)
        }
        return
      }
      switch status.kind {
      case .link:
        hinge(name, in: current)
        hops += 1
        guard hops <= 40, let destination = destination(ofLink: next) else {
          outcome = .failed(errno: hops > 40 ? ELOOP : errno, path: next)
          return
        }
        if destination.begins(with: "/") { current = "/" }
        rest += Self.components(destination)
      case .directory where !rest.isEmpty || target.isDirectory:
        current = next
        if !places.contains(where: { $0.path == next }) {
          places.append(Place(path: next, identity: status.identity, depth: .itself))
        }
      default:
        guard rest.isEmpty, !target.isDirectory else {
          hinge(name, in: current)
          outcome = .failed(errno: ENOTDIR, path: next)
          return
        }
        finish(at: current, leaf: name, target)
        return
      }
    }
    // The root as a file, or a path that ends in a directory's name and dots.
    change(current) {
      $0.depth = target == .contents ? .contents : .entries
      $0.isTarget = true
    }
    outcome = .reached(current)
  }

  /// The path of the observed file, free of links, or `nil` if the target is a directory or cannot be reached.
  var file: String? {
    guard case .reached(let directory) = outcome, let leaf = places.first(where: { $0.leaf != nil })?.leaf else {
      return nil
    }
    return directory == "/" ? "/\(leaf)" : "\(directory)/\(leaf)"
  }

  private mutating func finish(at directory: String, leaf: String, _ target: Target) {
    change(directory) {
      $0.depth = target == .journal ? .contents : .entries
      $0.leaf = leaf
    }
    outcome = .reached(directory)
  }

  private mutating func hinge(_ name: String, in directory: String) {
    change(directory) {
      $0.depth = .entries
      $0.hinges.insert(name)
    }
  }

  private mutating func expectRemoval(of directory: String) {
    guard directory != "/" else { return }
    let (parent, name) = FileLocation.split(directory)
    change(parent) {
      $0.depth = max($0.depth, .removals)
      $0.hinges.insert(name)
    }
  }

  private mutating func change(_ directory: String, _ body: (inout Place) -> Void) {
    if let index = places.firstIndex(where: { $0.path == directory }) { body(&places[index]) }
  }

  // MARK: Paths

  private static func absolute(_ path: String) -> String {
    if path.begins(with: "/") { return path }
    guard let current = getcwd(nil, 0) else { return "/\(path)" }
    defer { free(current) }
    return "\(String(cString: current))/\(path)"
  }

  /// Returns the names in a path, last first.
  private static func components(_ path: String) -> [String] {
    path.parts(separatedBy: "/", omittingEmpty: true).reversed().filter { $0 != "." }
  }
}
