import FileSignals
import Foundation
import Synchronization

/// An open journal beside a file: changes of the file's content that the file itself does not contain yet.
///
/// Its records have the format of those of a log: each counts only as a whole, and damage costs one record.
final class Journal: Sendable {
  let file: JournalFile
  let header: JournalHeader

  /// A Boolean value that indicates whether the journal's name and the file that it continues are on the disk.
  let isNameStored: Atomic<Bool>

  /// Begins to read an open file, or returns `nil` if it is not a journal.
  ///
  /// - Throws: ``DurableFileError`` if that is unknown.
  convenience init?(_ file: JournalFile, of url: URL) throws(DurableFileError) {
    guard let bytes = file.read(JournalHeader.size, at: 0) else {
      throw DurableFileError(errno, "read the journal of", url)
    }
    guard let header = JournalHeader(bytes) else { return nil }
    self.init(file, header, isNameStored: false)
  }

  init(_ file: JournalFile, _ header: JournalHeader, isNameStored: Bool) {
    self.file = file
    self.header = header
    self.isNameStored = Atomic(isNameStored)
  }

  /// The place before the first record.
  var start: JournalMark { JournalMark(journal: self) }
}

/// A place between two records of a journal, up to which it has been read.
struct JournalMark: Sendable {
  var journal: Journal
  var end = JournalHeader.size
  /// The number of the last record before this place.
  var sequence: UInt64 = 0
  /// The maker of the last record before this place.
  var maker = MakerReference.unknown
  /// A Boolean value that indicates whether a record before this place was to survive a power failure.
  var isDurable = false
  /// A Boolean value that indicates whether no record may be appended here.
  ///
  /// Bytes follow that are not a record now, and that might be one again behind another record.
  var isClosed = false
  /// The stamp of the file that the journal continues; `nil` if it is unknown.
  var stamp: FileStamp?

  /// The mark of the version that the last record before this place makes; `nil` if its maker is unknown.
  var version: VersionMark? { VersionMark(maker) }

  /// A Boolean value that indicates whether there are records before this place.
  var hasRecords: Bool { end > JournalHeader.size }

  /// Returns the failures that the file must survive when it gets the changes before this place.
  func durability(atLeast durability: Durability) -> Durability { isDurable ? .storage : durability }

  /// The journal from a place to its end.
  struct Reading {
    /// The contents of the records, in order.
    var payloads: [Data] = []
    var end: JournalMark
    /// The reasons why records were passed over.
    var damage: [String] = []
    var rest = Rest.nothing
  }

  /// The bytes after the last record.
  enum Rest: Equatable {
    case nothing
    /// The beginning of a record, whose writer was killed or is not done.
    case torn
    /// Records that a power failure has left out; later ones may be there, and do not count without them.
    case unwritten
    /// Bytes that no writer leaves behind, unless they are just being replaced.
    case damaged(String)
  }

  /// Reads all records after this place.
  ///
  /// Without a wait for the disk, a power failure may leave zeros instead of any bytes, while later ones are there. The
  /// journal ends at the first such record, so that no change is there without those before it. If a later record was to
  /// survive a power failure, all records before it were on the disk, and the zeros are damage like any other.
  ///
  /// - Parameters:
  ///   - isSettled: A Boolean value that indicates whether no process is writing, because the caller has the lock.
  ///     Otherwise bytes after the last record may be a record soon.
  ///   - size: The size of the file, if the caller knows it.
  /// - Returns: The records, or `nil` with `errno` set if the file cannot be read.
  func read(isSettled: Bool, size: Int? = nil) -> Reading? {
    var reading = Reading(end: self)
    guard var bytes = rest(after: self, size) else { return nil }
    var offset = 0
    var isReread = isSettled
    /// The records before the first that was left out.
    var beginning: Reading?
    while true {
      let (finding, isAtEnd) = bytes.withUnsafeBytes { bytes in
        let next = reading.end.sequence + 1
        let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
        return (LogRecord.find(in: rest, expecting: next, salt: journal.header.salt), rest.isEmpty)
      }
      if case .record(_, let kind, let size) = finding {
        reading.payloads.append(bytes[offset + LogRecord.headerSize..<offset + size])
        offset += size
        reading.end.end += size
        reading.end.sequence += 1
        reading.end.maker = MakerReference(number: kind >> 1)
        if kind & Self.durableKind != 0 { (reading.end.isDurable, beginning) = (true, nil) }
        continue
      }
      if isAtEnd { return beginning ?? reading }
      if !isReread {
        // The bytes may mix a removed record with the one that replaced it.
        guard let again = rest(after: reading.end) else { return nil }
        (bytes, offset, isReread) = (again, 0, true)
        continue
      }
      var reason: String?
      if case .damaged(let found) = finding { reason = found }
      guard
        let place = nextRecord(after: reading.end, before: reading.end.end + bytes.count - offset, isSettled, reason)
      else {
        reading.rest = Self.isUnwritten(bytes[offset...]) ? .unwritten : reason.map { .damaged($0) } ?? .torn
        return beginning ?? reading
      }
      let next = offset + Int(place.offset) - reading.end.end
      if beginning == nil, Self.isUnwritten(bytes[offset..<next]) {
        beginning = reading
        beginning?.rest = .unwritten
      }
      reading.damage.append(reason ?? "the length of record \(reading.end.sequence + 1) is wrong")
      offset = next
      (reading.end.end, reading.end.sequence) = (Int(place.offset), place.sequence - 1)
      isReread = isSettled
    }
  }

  /// Returns whether some of the bytes were never written: a record has a length, and not that many zeros in a row.
  private static func isUnwritten(_ bytes: Data) -> Bool {
    var count = 0
    return bytes.starts(with: repeatElement(0, count: 4))
      || bytes.contains {
        count = $0 == 0 ? count + 1 : 0
        return count == LogRecord.headerSize
      }
  }

  private func rest(after place: JournalMark, _ size: Int? = nil) -> Data? {
    guard let size = size ?? journal.file.status?.size else { return nil }
    return journal.file.read(max(0, size - place.end), at: place.end)
  }

  private func nextRecord(after place: JournalMark, before end: Int, _ isSettled: Bool, _ damage: String?)
    -> SegmentSearch.Place?
  {
    var search = SegmentSearch(
      file: journal.file.number, salt: journal.header.salt, start: UInt64(place.end), end: UInt64(end),
      sequence: place.sequence + 1)
    // While a record may be unfinished, bytes in it may look like records, but do not match its checksum.
    let found = isSettled || damage != nil ? search.place() : search.placeByChecksum()
    return search.failure == nil ? found : nil
  }

  // MARK: Appending

  /// The bit of a record that was to survive a power failure; the other bits, in place of a time, refer to the maker.
  private static let durableKind: UInt64 = 1

  /// Appends a record at this place, which must be the end; the caller holds the lock.
  ///
  /// - Parameters:
  ///   - size: The number of bytes of the record's content.
  ///   - fill: Writes the content to a buffer of that size.
  ///   - durability: The failures that the record is to survive, for which the caller waits.
  ///   - file: The locked file, beside whose lock the process is noted.
  /// - Returns: The place after it.
  /// - Throws: ``DurableFileError``; then nothing was appended.
  func appending(
    _ size: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void, durability: Durability, to file: ExclusiveFile
  ) throws(DurableFileError) -> JournalMark {
    let url = file.descriptors.url
    var next = self
    next.sequence += 1
    next.end += LogRecord.headerSize + size
    if durability == .storage { next.isDurable = true }
    let limit = fileSizeLimit()
    guard next.end <= limit else { throw DurableFileError(EFBIG, "write the journal of", url) }
    next.maker = file.maker(limit: limit)
    try withUnsafeTemporaryAllocation(byteCount: next.end - end, alignment: 8) { buffer in
      fill(UnsafeMutableRawBufferPointer(rebasing: buffer[LogRecord.headerSize...]))
      LogRecord.complete(
        buffer, sequence: next.sequence,
        time: next.maker.number << 1 | (durability == .storage ? Self.durableKind : 0), salt: journal.header.salt)
      return Result { () throws(DurableFileError) in
        try journal.file.append(UnsafeRawBufferPointer(buffer), after: end, of: url)
      }
    }.get()
    return next
  }
}

/// The use of a journal beside a file of values: how changes of a value become records, and records become changes.
struct Journaling<Value: Sendable>: Sendable {
  /// The way in which a changed value is stored.
  enum Step {
    /// Nothing has changed.
    case nothing
    /// As a record of the changes.
    case record(Data)
    /// As a whole.
    case whole
  }

  /// Returns the way to store a new value, which may be derived from an old one.
  let step: @Sendable (_ new: inout Value, _ old: Value) throws(AppGroupsFileError) -> Step
  /// Adds the changes of the running update, which were stored in a record, to the rest of the value.
  let fold: @Sendable (inout Value) -> Void
  /// Turns a value into one that consists of the content of the file only, because it is about to be stored as a whole.
  let rebase: @Sendable (inout Value) -> Void
  /// Applies the contents of records, and returns whether all of them are valid.
  ///
  /// It throws an error if a record is sealed and cannot be opened; then the value may have some of the changes.
  let apply: @Sendable ([Data], inout Value) throws(AppGroupsFileError) -> Bool
  /// Returns whether both values have the same content.
  let areSame: @Sendable (Value, Value) -> Bool
  /// Returns the numbers of the parts in which a new value differs from an old one, or `nil` if they are too many.
  let changes: @Sendable (_ old: Value, _ new: Value) -> [UInt32]?
  /// Returns the number of bytes that the value takes as the content of the file.
  let size: @Sendable (Value) -> Int
  /// Returns the names of the changes in records that a value does not have.
  let missing: @Sendable ([Data], Value) throws(AppGroupsFileError) -> [String]
}
