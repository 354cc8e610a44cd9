package import FileSignals
package import Foundation
import Signals

/// Reads the state of a log as it is on disk, without being its producer or one of its consumers.
///
/// It acquires no lock, writes nothing and creates nothing, so it never delays a process that uses the log.
package final class LogInspection: Sendable {
  /// The events of one producer.
  package struct Producer: Sendable, Hashable {
    package let id: UUID
    /// The number of segments that are stored.
    package var segments = 0
    package var bytes = 0
    /// The sequence of the first stored event, or 0 if it is unknown.
    package var first: UInt64 = 0
    /// The sequence of the last event, or 0 if there is none.
    package var end: UInt64 = 0
    /// The time of the last event.
    package var date: Date?
    /// The file to which the producer appends, and which it keeps locked.
    package var tail: FileIdentity?
    package var tailName = ""
  }

  /// The progress of one consumer.
  package struct Consumer: Sendable, Hashable {
    package let name: String
    /// The sequence of the last handled event of each producer, or `nil` if the cursor cannot be read.
    package var positions: [UUID: UInt64]?
    /// The reason why the cursor cannot be read.
    package var problem: String?
    /// The time of the oldest event that the consumer has not handled.
    package var oldestUnread: Date?
    /// The time when the cursor was last saved.
    package var saved: Date?
    /// The reason why events were removed before the consumer received them.
    package var loss: String?
    /// The file that the running consumer keeps locked.
    package var lock: FileIdentity?
  }

  /// The state of a log.
  package struct State: Sendable {
    package var producers: [Producer] = []
    package var consumers: [Consumer] = []
    package var problems: [String] = []

    /// Creates the state of a log that was not read yet.
    package init() {}
  }

  private struct End {
    var position: LogPosition
    var time: UInt64
  }

  private let place: LogPlace
  private let ends = Guarded<[UUID: End]>([:])

  /// Opens a log, which must exist.
  ///
  /// - Parameters:
  ///   - name: The name of the log.
  ///   - directory: The directory of the group.
  /// - Throws: ``AppGroupsLogError``, or ``AppGroupsError`` if the directory is missing.
  package init(name: String, in directory: URL) throws {
    guard try FileStatus(path: directory.path)?.kind == .directory else {
      throw AppGroupsError.unusableDirectory(directory, reason: "it is missing")
    }
    place = try LogPlace(
      opening: name, in: AppGroupsContainer(directory: directory), switchCount: 0, isMaking: false)
  }

  /// A Boolean value that indicates whether the log is still the one at its path.
  package var isInPlace: Bool { get throws(AppGroupsLogError) { try place.isAtPath } }

  // MARK: State

  /// Reads the present state.
  ///
  /// - Complexity: O(*n*) in the bytes that were appended since the last call.
  package func state() -> State {
    var state = State()
    var listed: [UUID: [UInt64]] = [:]
    do throws(AppGroupsLogError) {
      listed = try SegmentListing.segments(in: place)
    } catch {
      state.problems.append("\(error)")
    }
    var known = ends.withLock { $0 }
    known = known.filter { listed[$0.key] != nil }
    for (id, numbers) in listed.sorted(by: { $0.key.uuidString < $1.key.uuidString }) {
      state.producers.append(producer(id, numbers, &known, &state.problems))
    }
    let read = known
    ends.withLock { $0 = read }
    do throws(AppGroupsLogError) {
      for consumer in try ConsumerPlace.all(in: place).sorted(by: { $0.name < $1.name }) {
        state.consumers.append(self.consumer(consumer, listed))
      }
    } catch {
      state.problems.append("\(error)")
    }
    return state
  }

  private func producer(
    _ id: UUID, _ numbers: [UInt64], _ known: inout [UUID: End], _ problems: inout [String]
  ) -> Producer {
    var producer = Producer(id: id)
    producer.segments = numbers.count
    for number in numbers {
      let path = place.path(of: SegmentID(producer: id, index: number))
      producer.bytes += FileStatus.ifReadable(path: path, relativeTo: place.base, followsLinks: false)?.size ?? 0
    }
    guard let first = numbers.first, let last = numbers.last else { return producer }
    do throws(AppGroupsLogError) {
      producer.first = try SegmentReader(SegmentID(producer: id, index: first), in: place, from: .beginning)
        .firstSequence
      let tail = SegmentID(producer: id, index: last)
      producer.tailName = tail.fileName
      producer.tail =
        FileStatus.ifReadable(path: place.path(of: tail), relativeTo: place.base, followsLinks: false)?
        .identity
      let end = try end(of: tail, known[id])
      known[id] = end
      producer.end = end.position.sequence
      if end.time > 0 { producer.date = Date(timeIntervalSince1970: Double(end.time) / 1e9) }
    } catch {
      problems.append("\(error)")
    }
    return producer
  }

  /// Reads on to the end of a segment, from a known position if that is in it.
  private func end(of id: SegmentID, _ known: End?) throws(AppGroupsLogError) -> End {
    let start = known.flatMap { $0.position.segment == id.index ? $0.position : nil } ?? .beginning
    let reader = try SegmentReader(id, in: place, from: start)
    var end = known ?? End(position: .beginning, time: 0)
    if start == .beginning { end.position.sequence = max(end.position.sequence, reader.firstSequence - 1) }
    while let record = try reader.nextRecord() {
      end.position.sequence = record.sequence
      end.time = record.time
    }
    (end.position.segment, end.position.offset) = (id.index, reader.offset)
    return end
  }

  private func consumer(_ consumer: ConsumerPlace, _ listed: [UUID: [UInt64]]) -> Consumer {
    var state = Consumer(name: consumer.name)
    do throws(AppGroupsLogError) {
      state.lock = try consumer.lockIdentity
      state.loss = try consumer.lossNote?.word
      state.saved = try consumer.lastSeen.map { Date(timeIntervalSince1970: Double($0)) }
      let positions = try consumer.load() ?? [:]
      state.positions = positions.mapValues(\.sequence)
      state.oldestUnread = oldestUnread(after: positions, listed)
    } catch {
      state.problem = "\(error)"
    }
    return state
  }

  /// Returns the time of the oldest event that follows given positions.
  private func oldestUnread(after positions: [UUID: LogPosition], _ listed: [UUID: [UInt64]]) -> Date? {
    var oldest: UInt64?
    for (id, numbers) in listed {
      let position = positions[id] ?? .beginning
      for number in numbers where number >= position.segment {
        guard let time = firstTime(of: SegmentID(producer: id, index: number), after: position) else { continue }
        oldest = min(oldest ?? time, time)
        break
      }
    }
    return oldest.map { Date(timeIntervalSince1970: Double($0) / 1e9) }
  }

  private func firstTime(of id: SegmentID, after position: LogPosition) -> UInt64? {
    do throws(AppGroupsLogError) {
      let reader = try SegmentReader(id, in: place, from: position)
      while let record = try reader.nextRecord() {
        if record.sequence > position.sequence { return record.time }
      }
    } catch {
      // The state of the producer reports a segment that cannot be read.
    }
    return nil
  }

  // MARK: Events

  /// An event as it is stored.
  package struct Entry: Sendable {
    package let producer: UUID
    package let sequence: UInt64
    package let date: Date
    package let payload: Data
  }

  /// Reads the last events of all producers, the oldest first.
  ///
  /// - Parameter limit: The largest number of events.
  /// - Returns: The events.
  /// - Throws: ``AppGroupsLogError`` if a segment cannot be read.
  /// - Complexity: O(*n*) in the size of the last segments.
  package func entries(limit: Int) throws -> [Entry] {
    let limit = max(0, limit)
    var all: [Entry] = []
    for (id, numbers) in try SegmentListing.segments(in: place) {
      var found: [Entry] = []
      for number in numbers.reversed() {
        let reader = try SegmentReader(SegmentID(producer: id, index: number), in: place, from: .beginning)
        var part: [Entry] = []
        while let record = try reader.nextRecord() {
          let date = Date(timeIntervalSince1970: Double(record.time) / 1e9)
          part.append(Entry(producer: id, sequence: record.sequence, date: date, payload: record.payload))
          if part.count / 2 > limit { part.removeFirst(part.count - limit) }
        }
        found = part + found
        if found.count >= limit { break }
      }
      all += found
    }
    all.sort { ($0.date, $0.sequence) < ($1.date, $1.sequence) }
    return all.suffix(limit)
  }
}
