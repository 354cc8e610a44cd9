import CLibrary
package import Foundation
import Signals

/// The mark of a version of a value, by which its ``Provenance`` is found.
package struct VersionMark: Hashable, Sendable {
  let first: UInt64
  let second: UInt64

  /// The mark of the content of a file.
  package init(content: Data) {
    self.init(size: content.count, checksum: content.withUnsafeBytes { Checksum.of($0) })
  }

  fileprivate init(size: Int, checksum: UInt32) {
    (first, second) = (UInt64(size), 1 << 32 | UInt64(checksum))
  }

  /// The mark of a record in a journal by the reference to its maker; `nil` if the maker is unknown.
  package init?(_ reference: MakerReference) {
    guard reference.tag != 0 else { return nil }
    (first, second) = (reference.number, Self.referring)
  }

  private static let referring: UInt64 = 2 << 32

  /// The mark of a record of a maker, which belongs to no version.
  init(tag: UInt16) {
    (first, second) = (UInt64(tag), 4 << 32)
  }

  /// The reference of a record in a journal.
  var reference: MakerReference? { second == Self.referring ? MakerReference(number: first) : nil }

  /// The mark of a numbered version.
  package init(revision: Int) {
    (first, second) = (UInt64(bitPattern: Int64(revision)), 3 << 32)
  }
}

/// The records of who made the last versions of a file, behind the first bytes of the file's lock.
///
/// There are four places of 176 bytes. Each has a checksum, so that a reader, which takes no lock, ignores one that is
/// half written. The writer notes a version before it is in place, so a reader that finds the version finds its record,
/// unless later ones have taken all places. A writer never replaces the record of the present version, but several that
/// are killed between the two steps may.
///
/// ```
/// 0                 128              304              480              656
/// ├─ holder (Darwin) ├─ record ───────┼─ record ───────┼─ record ───────┼─ record ─┤
/// ```
///
/// Sixteen more places follow for the makers of the records of journals. They belong to no version.
package enum ProvenanceRecord {
  static let start = 128
  static let size = 176
  static let places = 4
  private static let headerSize = 56
  static var end: Int { start + places * size }
  static let makers = 16
  static var makersEnd: Int { end + makers * size }

  /// Notes who is about to put a version in place; the caller holds the lock.
  ///
  /// It is only a note, so a failure is ignored.
  ///
  /// - Parameters:
  ///   - note: The process and the cause.
  ///   - version: The mark of the version.
  ///   - place: The place, which has no record of the present version.
  ///   - lock: The descriptor of the lock.
  ///   - limit: The maximum size of a file that this process may write.
  static func note(_ note: Provenance.Note, _ version: VersionMark, at place: Int, in lock: CInt, limit: Int) {
    // The system would end the process otherwise.
    guard limit >= end else { return }
    withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
      switch note {
      case .omitted: return
      case .current: encodeCurrent(version, to: buffer)
      case .kept(let provenance): encode(provenance, version, to: buffer)
      }
      _ = writeSome(UnsafeRawBufferPointer(buffer), to: lock, at: start + place * size)
    }
  }

  /// Returns the place of the record that was noted first, which is not the one of the present version.
  static func oldestPlace(in lock: CInt) -> Int {
    withUnsafeTemporaryAllocation(byteCount: places * size, alignment: 8) { buffer in
      let count = max(0, readSome(buffer, from: lock, at: start)) / size
      guard count == places else { return count }
      // Positive numbers are ordered as their bits are.
      let now = Date().timeIntervalSince1970.bitPattern
      let times = (0..<places).map { place in
        let time = number(in: UnsafeRawBufferPointer(buffer), at: place * size + 40)
        // The clock was set back since then.
        return time > now ? 0 : time
      }
      return times.indices.min { times[$0] < times[$1] } ?? 0
    }
  }

  /// Finds who made a version.
  ///
  /// - Parameters:
  ///   - version: The mark of the version.
  ///   - lock: The descriptor of the lock.
  /// - Returns: The newest matching record, or `nil` if there is none.
  package static func find(_ version: VersionMark, in lock: CInt) -> Provenance? {
    if let reference = version.reference { return find(reference, in: lock) }
    return withUnsafeTemporaryAllocation(byteCount: places * size, alignment: 8) { buffer in
      let count = readSome(buffer, from: lock, at: start)
      var newest: Provenance?
      for place in 0..<max(0, count / size) {
        let record = UnsafeRawBufferPointer(rebasing: buffer[place * size..<(place + 1) * size])
        guard let found = decode(record), found.version == version else { continue }
        if newest.map({ $0.date <= found.provenance.date }) ?? true { newest = found.provenance }
      }
      return newest
    }
  }

  /// Finds who made a version of the file at a path, which is not a link.
  ///
  /// - Complexity: O(1), with three system calls.
  package static func find(_ version: VersionMark, ofFileAt path: String) -> Provenance? {
    guard let lock = openLock(ofFileAt: path, O_RDONLY) else { return nil }
    return find(version, in: lock.number)
  }

  /// Notes who is about to make a numbered version; the caller holds the lock of the file at a path.
  package static func note(_ note: Provenance.Note, revision: Int, ofFileAt path: String) {
    guard let lock = openLock(ofFileAt: path, O_WRONLY) else { return }
    let place = Int(UInt(bitPattern: revision) % UInt(places))
    self.note(note, VersionMark(revision: revision), at: place, in: lock.number, limit: fileSizeLimit())
  }

  private static func openLock(ofFileAt path: String, _ access: CInt) -> Descriptor? {
    let (directory, name) = FileLocation.split(path)
    let flags = access | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    return Descriptor(uninterrupted { open("\(directory)/\(FileLocation.sharedFolder)/\(name).lock", flags) })
  }

  // MARK: Format

  /// The record of this process, without a cause, and the number of forks with which it was made.
  private static let template = Guarded<(forks: Int, bytes: [UInt8])?>(nil)

  /// Encodes a change that this process makes now; this is a part of each write.
  static func encodeCurrent(_ version: VersionMark, to buffer: UnsafeMutableRawBufferPointer) {
    let forks = Forks.count
    let bytes = template.withLock { template in
      if let template, template.forks == forks { return template.bytes }
      let bytes = [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
        encode(Provenance.current(for: nil), version, to: UnsafeMutableRawBufferPointer(bytes))
        count = size
      }
      template = (forks, bytes)
      return bytes
    }
    buffer.copyBytes(from: bytes)
    store(version, in: buffer)
    store(Date(), at: 40, in: buffer)
    if let cause = Cause.current { store(cause: Provenance.shortened(cause, to: Provenance.causeLimit), in: buffer) }
    seal(buffer)
  }

  private static func encode(
    _ provenance: Provenance, _ version: VersionMark, to buffer: UnsafeMutableRawBufferPointer
  ) {
    buffer.initializeMemory(as: UInt8.self, repeating: 0)
    var name = provenance.processName
    buffer[4] = 1
    buffer[5] = UInt8(name.utf8.count)
    store(version, in: buffer)
    buffer.storeBytes(of: provenance.processIdentifier.littleEndian, toByteOffset: 24, as: Int32.self)
    store(provenance.processStart, at: 32, in: buffer)
    store(provenance.date, at: 40, in: buffer)
    name.withUTF8 { UnsafeMutableRawBufferPointer(rebasing: buffer[headerSize...]).copyMemory(from: .init($0)) }
    store(cause: provenance.cause ?? "", in: buffer)
    seal(buffer)
  }

  private static func store(_ version: VersionMark, in buffer: UnsafeMutableRawBufferPointer) {
    buffer.storeBytes(of: version.first.littleEndian, toByteOffset: 8, as: UInt64.self)
    buffer.storeBytes(of: version.second.littleEndian, toByteOffset: 16, as: UInt64.self)
  }

  private static func store(cause: String, in buffer: UnsafeMutableRawBufferPointer) {
    var cause = cause
    let start = headerSize + Int(buffer[5])
    buffer[6] = UInt8(cause.utf8.count)
    cause.withUTF8 { UnsafeMutableRawBufferPointer(rebasing: buffer[start...]).copyMemory(from: .init($0)) }
  }

  /// Adds the checksum of everything up to the end of the cause.
  private static func seal(_ buffer: UnsafeMutableRawBufferPointer) {
    buffer.storeBytes(of: checksum(of: UnsafeRawBufferPointer(buffer)).littleEndian, as: UInt32.self)
  }

  private static func checksum(of record: UnsafeRawBufferPointer) -> UInt32 {
    let end = min(size, headerSize + Int(record[5]) + Int(record[6]))
    return Checksum.of(UnsafeRawBufferPointer(rebasing: record[4..<end]))
  }

  private static func store(_ date: Date?, at offset: Int, in buffer: UnsafeMutableRawBufferPointer) {
    let seconds = date?.timeIntervalSince1970 ?? .nan
    buffer.storeBytes(of: seconds.bitPattern.littleEndian, toByteOffset: offset, as: UInt64.self)
  }

  static func decode(_ record: UnsafeRawBufferPointer) -> (provenance: Provenance, version: VersionMark)? {
    guard record[4] == 1, UInt32(littleEndian: record.loadUnaligned(as: UInt32.self)) == checksum(of: record) else {
      return nil
    }
    let (nameCount, causeCount) = (Int(record[5]), Int(record[6]))
    guard headerSize + nameCount + causeCount <= size, let date = date(in: record, at: 40) else { return nil }
    let name = String(decoding: record[headerSize..<headerSize + nameCount], as: UTF8.self)
    let cause = String(decoding: record[(headerSize + nameCount)...].prefix(causeCount), as: UTF8.self)
    let provenance = Provenance(
      processIdentifier: Int32(littleEndian: record.loadUnaligned(fromByteOffset: 24, as: Int32.self)),
      processName: name, processStart: Self.date(in: record, at: 32), cause: causeCount == 0 ? nil : cause, date: date)
    return (provenance, VersionMark(first: number(in: record, at: 8), second: number(in: record, at: 16)))
  }

  private static func number(in record: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
    UInt64(littleEndian: record.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  private static func date(in record: UnsafeRawBufferPointer, at offset: Int) -> Date? {
    let seconds = Double(bitPattern: number(in: record, at: offset))
    return seconds.isFinite ? Date(timeIntervalSince1970: seconds) : nil
  }
}

extension VersionMark {
  fileprivate init(first: UInt64, second: UInt64) {
    (self.first, self.second) = (first, second)
  }
}

extension FileLocation {
  /// Finds who made a version of the file.
  ///
  /// - Parameter version: The mark of the version.
  /// - Returns: The process, or `nil` if it is unknown.
  package func provenance(of version: VersionMark) -> Provenance? {
    tolerating(else: nil) {
      let resolved = try Self.resolve(url, within: confinement)
      return ProvenanceRecord.find(version, ofFileAt: "\(resolved.directory)/\(resolved.name)")
    }
  }
}

extension ExclusiveFile {
  /// Returns a reference to this process and the current cause, for a record of the file's journal.
  ///
  /// - Parameter limit: The maximum size of a file that this process may write.
  /// - Returns: The reference, or the one of an unknown maker if the note could not be written.
  package func maker(limit: Int) -> MakerReference {
    ProvenanceRecord.reference(to: descriptors.noted, in: descriptors.sidecar.number, limit: limit)
  }

  /// Notes who is about to put a version in place.
  ///
  /// - Parameters:
  ///   - note: The process and the cause.
  ///   - version: The mark of the version.
  ///   - new: The stamp of the version, if it is known.
  ///   - old: The stamp of the present version, whose record stays until the new version is in place.
  ///   - limit: The maximum size of a file that this process may write.
  package func note(
    _ note: Provenance.Note, _ version: VersionMark, as new: FileStamp?, replacing old: FileStamp?, limit: Int
  ) {
    let place = descriptors.lastNote.withLock { last in
      // Only the writer of the present version knows its place without a look.
      let place =
        switch (last, old) {
        case (_, nil): 0
        case (let last?, let old?) where old.hasContent(of: last.stamp):
          (last.place + 1) % ProvenanceRecord.places
        case (_, _?): ProvenanceRecord.oldestPlace(in: descriptors.sidecar.number)
        }
      last = new.map { (place, $0) }
      return place
    }
    ProvenanceRecord.note(note, version, at: place, in: descriptors.sidecar.number, limit: limit)
  }

  /// Finds who made a version of the file.
  package func provenance(of version: VersionMark) -> Provenance? {
    ProvenanceRecord.find(version, in: descriptors.sidecar.number)
  }
}
