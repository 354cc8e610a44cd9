import AppGroups
import FileSignals
import Foundation
import Signals
import TestSupport

/// A container of one test's own, with what is often done in it.
struct Fixture: Sendable {
  let directory: TemporaryDirectory
  let container: AppGroupsContainer

  init() throws {
    directory = try TemporaryDirectory()
    container = try AppGroupsContainer(directory: directory.url.appending(path: "container"))
  }

  /// Opens a copy of what an earlier version of the package wrote.
  init(_ stored: StoredFormat) throws {
    directory = try stored.copy()
    container = try AppGroupsContainer(directory: directory.url.appending(path: "container"))
  }

  var path: String { container.containerURL.path }

  /// The directory in which the container's files lie.
  var files: URL { container.containerURL.appending(path: "Files", directoryHint: .isDirectory) }

  /// Where a file of the container lies.
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

  /// Puts content into a file the wrong way: in place.
  func overwrite(_ name: String = "note.json", with text: String) throws {
    try Data(text.utf8).write(to: url(name))
  }

  /// The content of a file; Foundation's own way leaks if there is none.
  func text(of url: URL) throws -> String {
    try String(decoding: DurableFile.read(url), as: UTF8.self)
  }

  /// The names of what lies in a directory, in order.
  func contents(of url: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
  }
}

/// The content of a note's file, as another program would write it.
func noteText(_ count: Int, _ text: String) -> String {
  #"{"count": \#(count), "text": "\#(text)"}"#
}
