import AppGroups
import Foundation
import TestSupport
import Testing

@Suite("The container of a group")
struct ContainerTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test
  func `a given directory is created for the user only, and becomes the container`() throws {
    let url = directory.url.appending(path: "some/where", directoryHint: .isDirectory)
    let container = try AppGroupsContainer(directory: url, groupIdentifier: "group.test")
    #expect(container.containerURL.path == url.path)
    #expect(container.groupIdentifier == "group.test")
    for made in [url, url.deletingLastPathComponent()] {
      let attributes = try FileManager.default.attributesOfItem(atPath: made.path)
      #expect(attributes[.posixPermissions] as? Int == 0o700)
    }
  }

  @Test
  func `an existing directory keeps its content and its permissions`() throws {
    try Data("kept".utf8).write(to: directory.file("file"))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.url.path)
    let container = try AppGroupsContainer(directory: directory.url)
    #expect(try Data(contentsOf: container.containerURL.appending(path: "file")) == Data("kept".utf8))
    let attributes = try FileManager.default.attributesOfItem(atPath: directory.url.path)
    #expect(attributes[.posixPermissions] as? Int == 0o755)
  }

  @Test
  func `a symbolic link to the container gives the same container`() throws {
    let target = directory.url.appending(path: "target", directoryHint: .isDirectory)
    let container = try AppGroupsContainer(directory: target)
    let link = directory.url.appending(path: "link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
    #expect(try AppGroupsContainer(directory: link) == container)
  }

  @Test
  func `a file in place of the container is an error that names it`() throws {
    try Data().write(to: directory.file("file"))
    let error = #expect(throws: AppGroupsError.self) { try AppGroupsContainer(directory: directory.file("file")) }
    #expect(error?.description.contains(directory.file("file").path) == true)
    #expect(throws: AppGroupsError.self) { try AppGroupsContainer(directory: directory.file("file/below")) }
  }

  @Test
  func `a location outside the file system is an error`() throws {
    let url = try #require(URL(string: "https://example.com/container"))
    #expect(throws: AppGroupsError.self) { try AppGroupsContainer(directory: url) }
  }

  @Test(arguments: ["", ".", "..", ".hidden", "a/b", "../a", "/a", "a\0b", "a\nb", String(repeating: "x", count: 300)])
  func `an identifier that could escape the root is rejected before anything is created`(identifier: String) throws {
    let place = directory.url.appending(path: "place")
    let errors = [
      #expect(throws: AppGroupsError.self) { try AppGroupsContainer(identifier) },
      #expect(throws: AppGroupsError.self) { try AppGroupsContainer(directory: place, groupIdentifier: identifier) },
    ]
    for error in errors {
      guard case .invalidGroupIdentifier(identifier, _) = error else {
        Issue.record("The error is \(String(describing: error))")
        continue
      }
    }
    #expect(!FileManager.default.fileExists(atPath: place.path))
  }
}
