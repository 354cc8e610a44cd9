import FileSignals
import Foundation
import Signals

/// Encodes the contents of a suite as one JSON object, and splits such an object without decoding any value.
///
/// It remembers the last contents, so that unchanged values are neither read nor decoded again.
final class SuiteFormat: Sendable {
  private let url: URL
  private let entries = SuiteEntries()
  private let seal: FileSeal?
  /// The number of bytes by which sealed bytes are longer.
  private let overhead: Int

  private struct Memory {
    /// The text that was last read or written.
    var last: SuiteText
    var origin = 0
    /// A Boolean value that indicates whether the file that was last read or written is sealed with the newest key.
    var hasNewestKey = false
  }

  private let memory: Guarded<Memory>

  init(url: URL, seal: FileSeal? = nil) {
    self.url = url
    self.seal = seal
    // A seal that fails also fails for the contents, which reports it.
    overhead = tolerating(try seal?.seal(Data(), for: .file).count ?? 0, else: 0)
    memory = Guarded(Memory(last: SuiteText(entries: entries)))
  }

  var format: FileFormat<SuiteContents> {
    let plain = FileFormat<SuiteContents>(
      encode: { contents in
        let text = contents.text
        self.remember(text)
        return text.data
      },
      decode: { try self.decode($0) })
    return seal.map { plain.sealed(by: $0, noting: self.noteKey) } ?? plain
  }

  private func noteKey(isNewest: Bool) { memory.withLock { $0.hasNewestKey = isNewest } }

  /// Forgets the last contents, because another file is read from now on.
  func beginAnew() {
    memory.withLock { $0.origin += 1 }
  }

  /// The use of a journal for the contents.
  var journaling: Journaling<SuiteContents> {
    Journaling(
      step: { contents, old throws(AppGroupsFileError) in
        switch contents.step(after: old) {
        // So that a write is enough to give up an older key.
        case .nothing: self.isSealDue ? .whole : .nothing
        case .record(let record): .record(try self.sealed(record))
        case .whole: .whole
        }
      },
      fold: { $0.fold() },
      rebase: { $0.rebase(entries: self.entries) },
      apply: { records, contents throws(AppGroupsFileError) in
        contents.apply(try self.opened(records), in: self.place)
      },
      areSame: { $0 == $1 },
      changes: { $1.changedParts(since: $0) },
      size: { $0.size + self.overhead },
      missing: { records, contents throws(AppGroupsFileError) in contents.missing(try self.opened(records)) })
  }

  // MARK: Sealing

  /// A Boolean value that indicates whether the contents are sealed.
  var isSealed: Bool { seal != nil }

  /// A Boolean value that indicates whether the file is not sealed with the newest key.
  private var isSealDue: Bool { isSealed && !memory.withLock(\.hasNewestKey) }

  private func sealed(_ record: Data) throws(AppGroupsFileError) -> Data {
    guard let seal else { return record }
    return try translating(seal.seal(record, for: .record)) { (error: any Error) in
      AppGroupsFileError.unencodable(url, reason: CodingReason.words(for: error))
    }
  }

  /// Opens the contents of records.
  ///
  /// A record that is not sealed becomes an invalid one.
  private func opened(_ records: [Data]) throws(AppGroupsFileError) -> [Data] {
    var opened: [Data] = []
    opened.reserveCapacity(records.count)
    for record in records {
      guard let seal else {
        if let key = FileSeal.key(of: record) { throw .unknownKey(url, key: key) }
        opened.append(record)
        continue
      }
      do throws(FileSealError) {
        opened.append(try seal.open(record, for: .record).plain)
      } catch .unknownKey(let key) {
        throw .unknownKey(url, key: key)
      } catch .unopenable(let key, let reason) {
        throw .unopenable(url, key: key, reason: reason)
      } catch {
        opened.append(Self.invalid)
      }
    }
    return opened
  }

  /// A record that has no changes in it.
  private static let invalid = Data([0])

  /// The file, for contents that are about to be stored in it.
  var place: SuiteSnapshot.Place {
    SuiteSnapshot.Place(url: url, origin: memory.withLock { $0.origin }, isSealed: isSealed)
  }

  /// Marks contents that are about to be stored as the latest contents of the file.
  func renew(_ contents: inout SuiteContents) {
    contents.renew(place)
  }

  private func decode(_ data: Data) throws -> SuiteContents {
    let (last, origin) = memory.withLock { ($0.last, $0.origin) }
    let text = try SuiteText.read(data, after: last)
    remember(text)
    return SuiteContents(text, url: url, origin: origin, isSealed: isSealed)
  }

  private func remember(_ text: SuiteText) {
    memory.replace { exchange(&$0.last, with: text) }
  }
}
