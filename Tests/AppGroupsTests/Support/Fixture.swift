import AppGroups
import FileSignals
import Foundation
import Signals
import TestSupport

/// A container for one test, with common operations.
struct Fixture: Sendable {
  let directory: TemporaryDirectory
  let container: AppGroupsContainer

  init(in parent: URL = FileManager.default.temporaryDirectory) throws {
    directory = try TemporaryDirectory(in: parent)
    container = try AppGroupsContainer(directory: directory.url.appending(path: "container"))
  }

  /// Opens a copy of the files that an earlier version of the package wrote.
  init(_ stored: StoredFormat) throws {
    directory = try stored.copy()
    container = try AppGroupsContainer(directory: directory.url.appending(path: "container"))
  }

  var path: String { container.containerURL.path }

  /// The directory of the container's files.
  var files: URL { container.containerURL.appending(path: "Files", directoryHint: .isDirectory) }

  /// The URL of a file of the container.
  func url(_ name: String) -> URL {
    files.appending(path: name, directoryHint: .notDirectory)
  }

  func note(_ name: String = "note.json", _ initialValue: Note = Note()) throws -> AppGroupsFile<Note> {
    try AppGroupsFile(name: name, initialValue: initialValue, container: container)
  }

  func counter(_ name: String = "counter.json", _ initialValue: Int = 0) throws -> AppGroupsFile<Int> {
    try AppGroupsFile(name: name, initialValue: initialValue, container: container)
  }

  /// Starts a process that uses the container.
  func peer() async throws -> PeerProcess {
    let peer = try PeerProcess()
    try await peer.send("container \(path)")
    return peer
  }

  /// Writes content to a file the wrong way: in place.
  func overwrite(_ name: String = "note.json", with text: String) throws {
    try Data(text.utf8).write(to: url(name))
  }

  /// The content of a file.
  ///
  /// Foundation's own function leaks if the file is missing.
  func text(of url: URL) throws -> String {
    try String(decoding: DurableFile.read(url), as: UTF8.self)
  }

  /// The sorted names of the entries of a directory.
  func contents(of url: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
  }
}

/// The content of a note's file, as another program would write it.
func noteText(_ count: Int, _ text: String) -> String {
  #"{"count": \#(count), "text": "\#(text)"}"#
}
