/// The system calls with which a ``KqueueBackend`` watches files and directories.
///
/// A queue counts descriptors as the system does. The tests run the backend over a model of BSD's semantics.
package protocol VnodeQueue: Sendable {
  /// A descriptor that is readable while events are pending.
  ///
  /// The backend closes it when it ends.
  var descriptor: CInt { get }

  /// Opens a file or a directory only for watching, without following a link.
  ///
  /// - Returns: The descriptor, or a negative number with `errno` set.
  func open(_ path: String, isDirectory: Bool) -> CInt

  /// Returns another descriptor of the same file, or a negative number with `errno` set.
  func duplicate(_ descriptor: CInt) -> CInt

  /// Closes a descriptor, which also ends its watch and discards the watch's pending events.
  func close(_ descriptor: CInt)

  /// Returns the status of an open file, or `nil` with `errno` set.
  func status(of descriptor: CInt) -> FileStatus?

  /// Watches an open file from now on.
  ///
  /// The events of a watch are combined until they are taken. A watch reports until its descriptor is closed.
  ///
  /// - Parameters:
  ///   - descriptor: The file.
  ///   - notes: The events to report.
  ///   - number: The number that the events contain.
  /// - Returns: `true` if the file is watched; otherwise `errno` is set.
  func watch(_ descriptor: CInt, for notes: VnodeNotes, as number: Int) -> Bool

  /// Takes some of the pending events, without waiting.
  ///
  /// - Returns: The events, which are empty if none is pending, or `nil` if the system call fails.
  func takeEvents() -> [VnodeEvent]?
}

/// The combined events of one watch.
package struct VnodeEvent: Sendable, Equatable {
  /// The number of the watch.
  package let number: Int
  package let notes: VnodeNotes

  package init(number: Int, notes: VnodeNotes) {
    self.number = number
    self.notes = notes
  }
}

/// The events of a file or directory, with the values of BSD's constants.
package struct VnodeNotes: OptionSet, Sendable, Hashable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// NOTE_DELETE: a name of the file was removed or replaced.
  package static let delete = VnodeNotes(rawValue: 0x01)
  /// NOTE_WRITE: the file was written, or the directory's entries have changed.
  package static let write = VnodeNotes(rawValue: 0x02)
  /// NOTE_EXTEND: the file has become longer.
  package static let extend = VnodeNotes(rawValue: 0x04)
  /// NOTE_ATTRIB: the attributes have changed; truncating a file counts as that, too.
  package static let attributes = VnodeNotes(rawValue: 0x08)
  /// NOTE_LINK: the number of links has changed.
  package static let link = VnodeNotes(rawValue: 0x10)
  /// NOTE_RENAME: a name of the file was changed.
  package static let rename = VnodeNotes(rawValue: 0x20)
  /// NOTE_REVOKE: the file system was unmounted, or access was revoked.
  package static let revoke = VnodeNotes(rawValue: 0x40)
}
