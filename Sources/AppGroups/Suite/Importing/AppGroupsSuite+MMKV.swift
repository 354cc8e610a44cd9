public import FileSignals
public import Foundation

extension AppGroupsSuite {
  /// Copies values from a file of MMKV for keys that the suite does not have yet.
  ///
  /// Call it each time the app starts, in any process. The file is only read, without a lock, so an older version of the
  /// app still finds its values. All values are copied in one change.
  ///
  /// MMKV does not store the types of its values, so name the type that each was set with:
  ///
  /// <!-- not run -->
  /// ```swift
  /// import AppGroups
  /// import Foundation
  ///
  /// let suite = try AppGroupsSuite(name: "settings.json", container: AppGroupsContainer("group.example"))
  /// let file = URL(filePath: NSHomeDirectory()).appending(path: "Documents/mmkv/mmkv.default")
  /// let adoption = try suite.adopt(fromMMKV: file, keys: ["theme": String.self, "volume": Int32.self])
  /// print(adoption.adopted, adoption.missing, adoption.refused)
  /// ```
  ///
  /// - **Types.** `Bool`, integers of any size, `Float`, `Double`, `String`, `Data`, `Date` and `[String]`. An integer
  ///   may be named as any integer type that can represent it. Read archived objects with MMKV, and set them.
  /// - **Wrong types.** A value whose bytes are not of its type is in ``SuiteAdoption/refused``. Some bytes are values of
  ///   several types, such as `true` and 1, so a wrong type is not always noticed.
  /// - **Expiry.** Expired values are missing. Others do not expire any more.
  /// - **Damage.** Values are read only if they match MMKV's checksum. If another process uses MMKV at the same time,
  ///   the file is read again for up to 20 milliseconds.
  ///
  /// If you remove an adopted value from the suite, remove it from MMKV too. Otherwise the next call copies it again.
  ///
  /// - Parameters:
  ///   - url: The file with the name of the `mmapID`. MMKV keeps a file `.crc` beside it.
  ///   - keys: The keys to copy, each with its type in MMKV.
  /// - Returns: The result for each key.
  /// - Throws: ``MMKVFileError`` if the file is missing, damaged, encrypted, or larger than 64 MiB and the suite's
  ///   maximum size. ``AppGroupsFileError`` if the suite cannot be changed. Then nothing has changed.
  public func adopt(
    fromMMKV url: URL, keys: [String: any (Codable & Sendable).Type]
  ) throws -> SuiteAdoption {
    // MMKV's files begin with a page, and their size doubles, so a small suite may come from a larger file.
    let limit = max(engine.maximumSize, SharedFileOptions().maximumSize)
    let values = try MMKVFile(reading: url, limit: limit).values
    var found: [SuiteEntry] = []
    var adoption = SuiteAdoption()
    for (key, type) in keys {
      let name = ExactString(key)
      guard let bytes = values[name] else {
        adoption.missing.insert(key)
        continue
      }
      do {
        found.append(try SuiteEntry.encoding(MMKVReader.value(bytes, as: type), for: name))
      } catch {
        adoption.refused[key] = CodingReason.words(for: error)
      }
    }
    try add(found, &adoption)
    return adoption
  }
}

/// An error of adopting values from a file of MMKV; neither the file nor the suite has changed.
@nonexhaustive
public enum MMKVFileError: Error, Hashable, Sendable {
  /// One of the two files is missing, is too large, or cannot be read.
  case inaccessible(DurableFileError)

  /// The content is not the one that MMKV recorded, or MMKV did not write the file.
  case damaged(URL, reason: String)

  /// The values are encrypted.
  case encrypted(URL)
}

extension MMKVFileError: CustomStringConvertible, LocalizedError {
  /// A description of the failed operation, the file, the cause and the remedy.
  public var description: String {
    switch self {
    case .inaccessible(.exceedsLimit(let url, let size, let limit)):
      "Can't adopt values from \(url.path): its \(size) bytes exceed the limit of \(limit). Call trim() of MMKV, or open "
        + "the suite with a larger maximumSize."
    case .inaccessible(let error):
      "Can't adopt values from MMKV: \(error.description)"
    case .damaged(let url, let reason):
      "Can't adopt values from \(url.path): \(reason). Nothing was changed. If a process uses MMKV now, try again when it "
        + "is idle. Otherwise copy both files, and let MMKV recover the copy with a handler that returns "
        + "MMKVOnErrorRecover."
    case .encrypted(let url):
      "Can't adopt values from \(url.path): they are encrypted, or MMKV did not write them. Open the file with MMKV and "
        + "its key, call reset(cryptKey: nil), and adopt the values again."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
