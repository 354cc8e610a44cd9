import FileSignals
import Foundation

/// A source of names for files that are put aside.
enum PutAside {
  /// Returns a free place beside a file.
  static func place(for url: URL) throws(DurableFileError) -> URL {
    let folder = url.deletingLastPathComponent()
    var number = 1
    while true {
      let place = folder.appending(path: "\(url.lastPathComponent).kept-\(number)", directoryHint: .notDirectory)
      if try FileStatus(path: place.path, followsLinks: false) == nil { return place }
      number += 1
    }
  }
}
