public import Foundation

extension NotesApp {
  /// Returns the directory of all notes.
  ///
  /// - Parameter path: The path that a person has given, if any.
  /// - Returns: The path as a URL, or `$NOTES_HOME`, or a directory of the user.
  public static func home(_ path: String?) -> URL {
    if let path = path ?? ProcessInfo.processInfo.environment["NOTES_HOME"] {
      return URL(filePath: path, directoryHint: .isDirectory)
    }
    let directory = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
    return directory.appending(path: "org.example.notes", directoryHint: .isDirectory)
  }
}
