import Foundation

/// Finds names for what is put aside.
enum PutAside {
  /// A place beside a file where nothing is.
  static func place(for url: URL) -> URL {
    let folder = url.deletingLastPathComponent()
    var number = 1
    while true {
      let place = folder.appending(path: "\(url.lastPathComponent).kept-\(number)", directoryHint: .notDirectory)
      if !FileManager.default.fileExists(atPath: place.path) { return place }
      number += 1
    }
  }
}
