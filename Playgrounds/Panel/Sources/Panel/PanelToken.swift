import Foundation

/// The port and the token of the panel of a directory, which stay the same when the panel is restarted.
///
/// They are in a file that only the user can read, outside of the inspected directory.
struct PanelToken: Codable {
  var port: UInt16
  var token: String

  /// Reads the file of a directory, or makes a new token.
  static func load(for directory: URL, in folder: URL) -> PanelToken {
    do {
      let stored = try JSONDecoder().decode(PanelToken.self, from: Data(contentsOf: file(directory, folder)))
      if stored.token.utf8.count == 64 { return stored }
    } catch {
      // The first panel of the directory finds no file.
    }
    return PanelToken(port: 0, token: newToken())
  }

  /// Stores the port and the token.
  func save(for directory: URL, in folder: URL) throws {
    let files = FileManager.default
    try files.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let file = Self.file(directory, folder)
    // The file is never readable for others, not even for a moment.
    let temporary = folder.appending(path: UUID().uuidString)
    guard
      files.createFile(
        atPath: temporary.path, contents: try JSONEncoder().encode(self), attributes: [.posixPermissions: 0o600])
    else { throw CocoaError(.fileWriteUnknown) }
    if rename(temporary.path, file.path) != 0 { throw CocoaError(.fileWriteUnknown) }
  }

  /// The default folder of such files.
  static var folder: URL {
    let environment = ProcessInfo.processInfo.environment
    let state = environment["XDG_STATE_HOME"].map { URL(filePath: $0) }
    let home = FileManager.default.homeDirectoryForCurrentUser
    return (state ?? home.appending(path: ".local/state")).appending(path: "signals-panel")
  }

  private static func file(_ directory: URL, _ folder: URL) -> URL {
    let name = directory.path.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    return folder.appending(path: String(name, radix: 16) + ".json")
  }

  /// Returns 256 random bits.
  private static func newToken() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<4).map { _ in
      let text = String(random.next(), radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }.joined()
  }
}
