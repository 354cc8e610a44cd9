import AppGroups
import CLibrary
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Hazards of locations: replaced files, directories and disks", .patient)
struct LocationHazardTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  @Test
  func `a directory that moved away is not mistaken for the one at the path`() async throws {
    let file = try fixture.counter("counter.json", 1)
    let away = fixture.directory.file("away")
    try FileManager.default.moveItem(at: fixture.files, to: away)
    try await file.status.firstValue { $0 == .missing }
    // The watch moves with the directory.
    try Data("13".utf8).write(to: away.appending(path: "counter.json"))
    try FileManager.default.createDirectory(at: fixture.files, withIntermediateDirectories: false)
    try fixture.overwrite("counter.json", with: "2")
    try await file.firstValue { $0 == 2 }
    try Data("14".utf8).write(to: away.appending(path: "counter.json"))
    try fixture.overwrite("counter.json", with: "3")
    try await file.firstValue { $0 == 3 }
    try await file.update { $0 += 1 }
    #expect(try fixture.text(of: away.appending(path: "counter.json")) == "14")
  }

  @Test
  func `a removed file is not recreated by observers`() async throws {
    let files = try [fixture.counter("counter.json", 1), fixture.counter("counter.json", 2)]
    let peer = try await fixture.peer()
    try await peer.send("open-counter counter.json")
    try await peer.send("observe counter.json")
    try FileManager.default.removeItem(at: files[0].url)
    for file in files { try await file.status.firstValue { $0 == .missing } }
    while try await peer.send("status counter.json") != "missing" { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try fixture.contents(of: fixture.files) == [".shared"])
    #expect(files.map(\.value) == [1, 1])
  }

  @Test
  func `a link in the file's place leads no access out of the container`() async throws {
    let file = try fixture.counter("counter.json", 1)
    let secret = fixture.directory.file("secret")
    try Data("99".utf8).write(to: secret)
    try FileManager.default.removeItem(at: file.url)
    try FileManager.default.createSymbolicLink(at: file.url, withDestinationURL: secret)
    let outside = AppGroupsFileError.outsideContainer(file.url, target: secret.path)
    try await file.status.firstValue { $0.failure == outside }
    await #expect(throws: outside) { try await file.write(2) }
    await #expect(throws: outside) { try await file.update { $0 += 1 } }
    #expect(throws: outside) { try file.read() }
    #expect(file.value == 1)
    #expect(try fixture.text(of: secret) == "99")
  }

  @Test(arguments: ["directory", "pipe", "link"])
  func `an entry in place of the temporary file is removed or reported, and never written to`(kind: String) async throws
  {
    let file = try fixture.counter("counter.json", 1)
    try await file.write(2)
    let temporary = fixture.files.appending(path: ".shared/counter.json.tmp")
    let victim = fixture.directory.file("victim")
    try Data("untouched".utf8).write(to: victim)
    switch kind {
    case "directory": try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: false)
    case "pipe": #expect(mkfifo(temporary.path, 0o600) == 0)
    default: try FileManager.default.createSymbolicLink(at: temporary, withDestinationURL: victim)
    }
    if kind == "directory" {
      await #expect(throws: AppGroupsFileError.self) { try await file.write(3) }
      #expect(try file.read() == 2)
      try FileManager.default.removeItem(at: temporary)
    }
    try await file.write(3)
    #expect(try file.read() == 3)
    #expect(try fixture.text(of: victim) == "untouched")
  }

  #if os(Linux)
    @Test(.asRoot)
    func `a disk without a free inode is reported, and the old value stands`() async throws {
      try await withDisk("mount -t tmpfs -o nr_inodes=16 tmpfs \"$1\"") { disk in
        let container = try AppGroupsContainer(directory: disk)
        let file = try AppGroupsFile(name: "counter.json", initialValue: 1, container: container)
        try await file.write(2)
        var fillers: [URL] = []
        while FileManager.default.createFile(atPath: disk.appending(path: "\(fillers.count)").path, contents: nil) {
          fillers.append(disk.appending(path: "\(fillers.count)"))
        }
        await #expect(throws: AppGroupsFileError.inaccessible(.diskFull(file.url))) { try await file.write(3) }
        #expect(try file.read() == 2)
        for filler in fillers { try FileManager.default.removeItem(at: filler) }
        try await file.update { $0 += 1 }
        #expect(file.value == 3)
      }
    }

    @Test(.asRoot)
    func `a file on a read-only disk is read and observed, and a write throws the reason`() async throws {
      try await withDisk("mount -t tmpfs tmpfs \"$1\"") { disk in
        let file = try AppGroupsFile(
          name: "counter.json", initialValue: 1, container: AppGroupsContainer(directory: disk))
        try await remount(disk, readOnly: true)
        let readOnly = AppGroupsFileError.inaccessible(.readOnlyFileSystem(file.url))
        await #expect(throws: readOnly) { try await file.write(2) }
        await #expect(throws: readOnly) { try await file.update { $0 += 1 } }
        let reader = try AppGroupsFile(
          name: "counter.json", initialValue: 9, container: AppGroupsContainer(directory: disk))
        #expect(reader.value == 1)
        try await remount(disk, readOnly: false)
        try await file.update { $0 += 1 }
        try await reader.firstValue { $0 == 2 }
      }
    }

    @Test(.asRoot)
    func `a file copied up by an overlay is followed, and updated without loss`() async throws {
      try await withDisk(
        #"""
        mount -t tmpfs tmpfs "$1"; mkdir -p "$1/lower/Files" "$1/upper" "$1/work" "$1/merged"
        printf 1 > "$1/lower/Files/counter.json"
        mount -t overlay overlay -o "lowerdir=$1/lower,upperdir=$1/upper,workdir=$1/work" "$1/merged"
        """#
      ) { disk in
        let container = try AppGroupsContainer(directory: disk.appending(path: "merged"))
        let file = try AppGroupsFile(name: "counter.json", initialValue: 0, container: container)
        #expect(file.value == 1)
        let peer = try PeerProcess()
        try await peer.send("container \(container.containerURL.path)")
        try await peer.send("open-counter counter.json")
        async let theirs = peer.send("increment counter.json 50")
        for _ in 0..<50 { try await file.update { $0 += 1 } }
        _ = try await theirs
        try await file.firstValue { $0 == 101 }
        try await shell(#"umount -l "$1/merged""#, disk.path)
      }
    }
  #endif
}
