import AppGroups
import FileSignals
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@Suite("Symbolic links and shared files", .eachKernel)
struct LinkTests {
  let fixture: Fixture
  let outside: TemporaryDirectory

  init() throws {
    fixture = try Fixture()
    outside = try TemporaryDirectory()
  }

  private func expectConfined(_ file: AppGroupsFile<Int>) async throws {
    try await file.status.firstValue("a file outside") {
      if case .outsideContainer = $0.failure { true } else { false }
    }
    #expect(throws: AppGroupsFileError.self) { try file.write(666) }
    #expect(throws: AppGroupsFileError.self) { try file.update { $0 = 666 } }
    #expect(throws: AppGroupsFileError.self) { try file.read() }
    #expect(file.value == 1)
  }

  @Test func `a link within the container is followed to any target, and survives writes`() async throws {
    let file = try fixture.counter("value.json", 1)
    try await shell("cd $1 && mv value.json a && echo 2 > b && ln -s a value.json", fixture.files.path)
    try await file.write(3)
    #expect(try fixture.text(of: fixture.url("a")).hasPrefix("3"))
    try await shell("cd $1 && ln -sfn b value.json", fixture.files.path)
    try await file.firstValue("the other target") { $0 == 2 }
    try await file.update { $0 += 1 }
    #expect(try fixture.text(of: fixture.url("b")).hasPrefix("3"))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file.url.path) == "b")
    try await shell("cd $1 && echo 4 > b", fixture.files.path)
    try await file.firstValue("a write into the target in place") { $0 == 4 }
  }

  @Test func `a file that becomes a link out of the container while open is not followed`() async throws {
    let file = try fixture.counter("value.json", 1)
    try Data("5".utf8).write(to: outside.file("secret"))
    try await shell("ln -sfn $2/secret $1/value.json", fixture.files.path, outside.url.path)
    try await expectConfined(file)
    #expect(try fixture.text(of: outside.file("secret")).hasPrefix("5"))
    #expect(try fixture.contents(of: outside.url) == ["secret"])
    try await shell("cd $1 && rm value.json && echo 6 > value.json", fixture.files.path)
    try await file.firstValue("the value after the repair") { $0 == 6 }
    #expect(file.status.value == .current)
  }

  @Test(arguments: ["Files", "."])
  func `a directory that becomes a link out of the container is not entered`(_ name: String) async throws {
    let file = try fixture.counter("value.json", 1)
    let place = name == "." ? fixture.container.containerURL : fixture.files
    try await shell(
      "cp -r $1 $2/copy && mv $1 $1.away && find $2/copy -name value.json | while read f; do echo 7 > $f; done; ln -s $2/copy $1",
      place.path, outside.url.path)
    try await expectConfined(file)
    try await shell("rm $1 && mv $1.away $1 && echo 8 > $2", place.path, file.url.path)
    try await file.firstValue("the value after the repair") { $0 == 8 }
    let copy = outside.url.appending(path: name == "." ? "copy/Files/value.json" : "copy/value.json")
    #expect(try fixture.text(of: copy).hasPrefix("7"))
  }

  @Test func `a file without a container is followed through the swap of its directory, and written at its target`()
    async throws
  {
    let url = outside.file("config.json")
    try await shell(
      "cd $1 && mkdir ..1 && echo 1 > ..1/config.json && ln -s ..1 ..data && ln -s ..data/config.json config.json",
      outside.url.path)
    let file = try AppGroupsFile(url: url, initialValue: 0)
    #expect(file.value == 1)
    for round in 2...20 {
      try await shell(
        """
        cd $1 && mkdir ..\(round) && echo \(round) > ..\(round)/config.json
        ln -s ..\(round) ..tmp && mv -T ..tmp ..data && rm -r ..\(round - 1)
        """, outside.url.path)
      try await file.firstValue("round \(round)") { $0 == round }
    }
    try await file.write(100)
    #expect(try fixture.text(of: outside.file("..20/config.json")).hasPrefix("100"))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: url.path) == "..data/config.json")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: outside.file("..data").path) == "..20")
  }

  @Test func `a chain of links is followed, and reports when it is broken and repaired`() async throws {
    try await shell(
      "cd $1 && mkdir d e && echo 1 > d/target && ln -s d/target one && ln -s ../one e/two && ln -s e/two three",
      outside.url.path)
    let file = try AppGroupsFile(url: outside.file("three"), initialValue: 0)
    #expect(file.value == 1)
    try await file.write(2)
    #expect(try fixture.text(of: outside.file("d/target")).hasPrefix("2"))
    try await shell("rm $1/one", outside.url.path)
    try await file.status.firstValue("a broken chain") { $0 != .current }
    #expect(throws: AppGroupsFileError.self) { try file.write(3) }
    try await shell("cd $1 && echo 4 > d/other && ln -s d/other one", outside.url.path)
    try await file.firstValue("the end of another chain") { $0 == 4 }
    #expect(file.status.value == .current)
    try await shell("cd $1 && ln -sfn three one", outside.url.path)
    try await file.status.firstValue("a circle") { $0 != .current }
    #expect(file.value == 4)
    try await shell("cd $1 && ln -sfn d/target one", outside.url.path)
    try await file.firstValue("the first target") { $0 == 2 }
  }

  @Test func `a polled file is reread and compared byte by byte`() async throws {
    let file = try AppGroupsFile(
      name: "polled.json", initialValue: 1, container: fixture.container,
      options: .init(polling: .always(every: .milliseconds(20))))
    #expect(file.health.value == .polling(every: .milliseconds(20), because: .requested))
    let values = file.recorded()
    for value in 2...9 {
      // In place and of equal length, so the times may be equal, too.
      try await shell("printf \(value) > $1", file.url.path)
      try await file.firstValue("\(value)") { $0 == value }
    }
    #expect(values.elements == Array(1...9))
    try FileManager.default.removeItem(at: file.url)
    try await file.status.firstValue("a missing file") { $0 == .missing }
    try await file.write(10)
    #expect(file.value == 10)
  }
}
