import CLibrary
import Foundation
import Signals

/// A reference from a record of a journal to its maker, which is noted once in the lock, with the time of the record.
///
/// So a change that is appended to a journal needs no note of its own. Bits 0 to 3 are the place of the maker's record,
/// the next 16 its tag, and the others the milliseconds since 1970. Without a tag, the maker is unknown.
package struct MakerReference: Hashable, Sendable {
  /// The reference as a number of at most 63 bits.
  package let number: UInt64

  /// The reference of a record whose maker is unknown.
  package static let unknown = MakerReference(number: 0)

  package init(number: UInt64) {
    self.number = number
  }

  fileprivate init(_ maker: NotedMaker, at time: UInt64) {
    number = UInt64(maker.place) | UInt64(maker.tag) << 4 | (time << 20) & (1 << 63 - 1)
  }

  fileprivate var place: Int { Int(number & 15) }
  var tag: UInt16 { UInt16(truncatingIfNeeded: number >> 4) }
  fileprivate var date: Date { Date(timeIntervalSince1970: Double(number >> 20) / 1000) }
}

/// A maker that this process has noted in a lock: itself, with a cause.
struct NotedMaker: Sendable {
  fileprivate let forks: Int
  fileprivate let cause: String?
  fileprivate let place: Int
  fileprivate let tag: UInt16
  /// The time at which the record was last seen in its place, in milliseconds since 1970.
  fileprivate var seen: UInt64
}

// MARK: Makers in a lock

extension ProvenanceRecord {
  /// The time, in milliseconds, after which a maker's record is looked at again, because others may have replaced it.
  private static let trust: UInt64 = 250

  /// The number of causes that are remembered for a lock.
  private static let mostNoted = 4

  /// Returns a reference to this process and the current cause, which are noted if they are not; the caller holds the
  /// lock.
  ///
  /// - Parameters:
  ///   - noted: The makers that this process has noted in the lock.
  ///   - lock: The descriptor of the lock.
  ///   - limit: The maximum size of a file that this process may write.
  /// - Returns: The reference, or the one of an unknown maker if the note could not be written.
  static func reference(to noted: borrowing Guarded<[NotedMaker]>, in lock: CInt, limit: Int) -> MakerReference {
    guard limit >= makersEnd else { return .unknown }
    let now = UInt64(max(0, Date().timeIntervalSince1970 * 1000))
    let (forks, cause) = (Forks.count, Cause.current)
    return noted.withLock { noted in
      if let index = noted.firstIndex(where: { $0.cause == cause && $0.forks == forks }) {
        let age = now &- noted[index].seen
        if age < trust { return MakerReference(noted[index], at: now) }
        noted[index].seen = now
        let maker = noted[index]
        if tag(at: maker.place, in: lock) == maker.tag { return MakerReference(maker, at: now) }
        noted.remove(at: index)
      }
      // However many causes there are, they replace no other maker's record.
      let last = noted.count < mostNoted ? nil : noted.removeFirst()
      guard let (place, tag) = noteMaker(replacing: last?.forks == forks ? last : nil, in: lock) else {
        return .unknown
      }
      let maker = NotedMaker(forks: forks, cause: cause, place: place, tag: tag, seen: now)
      noted.append(maker)
      return MakerReference(maker, at: now)
    }
  }

  private static func placeOfMaker(_ place: Int) -> Int { end + place * size }

  /// Notes this process and the current cause in a place.
  ///
  /// - Parameters:
  ///   - old: A maker whose place is used if it is still there.
  ///   - lock: The descriptor of the lock.
  /// - Returns: The place and the tag, or `nil` if the record could not be written.
  private static func noteMaker(replacing old: NotedMaker?, in lock: CInt) -> (place: Int, tag: UInt16)? {
    let free = old.flatMap { self.tag(at: $0.place, in: lock) == $0.tag ? ($0.place, $0.tag) : nil }
    let (place, last) = free ?? freePlace(in: lock)
    // Never the tag of the record that is replaced, whose references must not lead here.
    var tag = last
    while tag == last || tag == 0 { tag = UInt16.random(in: 1...UInt16.max) }
    return withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { record in
      encodeCurrent(VersionMark(tag: tag), to: record)
      let count = writeSome(UnsafeRawBufferPointer(record), to: lock, at: placeOfMaker(place))
      return count == size ? (place, tag) : nil
    }
  }

  /// Returns a place without a maker, or the one whose maker was noted first, and the tag that is there.
  private static func freePlace(in lock: CInt) -> (place: Int, tag: UInt16) {
    withUnsafeTemporaryAllocation(byteCount: makers * size, alignment: 8) { buffer in
      let count = max(0, readSome(buffer, from: lock, at: placeOfMaker(0))) / size
      var oldest = (place: 0, tag: UInt16(0), date: Date.distantFuture)
      for place in 0..<count {
        let record = UnsafeRawBufferPointer(rebasing: buffer[place * size..<(place + 1) * size])
        guard let found = decode(record) else { return (place, 0) }
        guard found.provenance.date < oldest.date else { continue }
        oldest = (place, UInt16(truncatingIfNeeded: found.version.first), found.provenance.date)
      }
      return count < makers ? (count, 0) : (oldest.place, oldest.tag)
    }
  }

  /// The tag of the maker in a place, or `nil` if there is none.
  private static func tag(at place: Int, in lock: CInt) -> UInt16? {
    maker(at: place, in: lock).map { UInt16(truncatingIfNeeded: $0.version.first) }
  }

  private static func maker(at place: Int, in lock: CInt) -> (provenance: Provenance, version: VersionMark)? {
    withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { record in
      guard readSome(record, from: lock, at: placeOfMaker(place)) == size else { return nil }
      return decode(UnsafeRawBufferPointer(record))
    }
  }

  static func find(_ reference: MakerReference, in lock: CInt) -> Provenance? {
    guard let maker = maker(at: reference.place, in: lock), maker.version == VersionMark(tag: reference.tag) else {
      return nil
    }
    return maker.provenance.dated(reference.date)
  }
}
