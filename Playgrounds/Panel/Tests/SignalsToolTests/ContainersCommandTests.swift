import Containers
import Foundation
import Signals
import Testing

/// The command `signals containers`, as a process of its own.
@Suite(.serialized) struct ContainersCommandTests {
  private let world: ToolWorld

  init() throws {
    world = try ToolWorld()
  }

  @Test func `the command line lists and shows environments, also as JSON`() throws {
    let work = try world.app.create(name: "Work", description: "for tests")
    try world.app.activate(work)
    let list = try world.containers("list")
    #expect(list.status == 0)
    #expect(
      list.output == """
        ACTIVE\tNAME\tID\tACTIVATIONS
        \tDefault\t\(AppContainer.Environment.defaultID)\t0
        *\tWork\t\(work.id)\t1

        """)
    let shown = try world.containers("show", work.id.uuidString.lowercased())
    #expect(shown.output.contains("description\tfor tests\n"))
    #expect(shown.output.contains("active\tyes\n"))
    #expect(shown.output.contains("activations\t1\n"))
    struct Shown: Decodable {
      let id: UUID
      let name: String
      let active: Bool
    }
    let json = try JSONDecoder().decode(Shown.self, from: Data(world.containers("show", "Work", "--json").output.utf8))
    #expect(json.id == work.id && json.name == "Work" && json.active)
    struct Container: Decodable {
      let environments: [Shown]
    }
    let all = try JSONDecoder().decode(Container.self, from: Data(world.containers("list", "--json").output.utf8))
    #expect(all.environments.map(\.name) == ["Default", "Work"])
  }

  @Test func `the command line creates, activates, renames, clones, cleans and deletes environments`() throws {
    try world.write("default")
    #expect(try world.containers("create", "Work", "--description", "for tests").output.hasPrefix("Created"))
    #expect(world.names == ["Default", "Work"])
    #expect(world.app.environments.value.last?.description == "for tests")

    #expect(try world.containers("switch", "Work").status == 0)
    #expect(world.app.active.value.name == "Work")
    try world.write("work")
    #expect(try world.files == ["work"])

    #expect(try world.containers("rename", "Work", "Job", "--description", "renamed").status == 0)
    #expect(world.app.active.value.name == "Job")
    #expect(world.app.active.value.description == "renamed")

    #expect(try world.containers("clone", "Job", "Copy").status == 0)
    #expect(world.names == ["Default", "Job", "Copy"])
    #expect(try world.containers("clean", "Job", "--yes").status == 0)
    #expect(try world.files == [])
    #expect(try world.containers("switch", "Copy").status == 0)
    #expect(try world.files == ["work"])

    #expect(try world.containers("delete", "Job", "--yes").status == 0)
    #expect(world.names == ["Default", "Copy"])
    #expect(try world.containers("delete", "Copy", "--yes").status == 0)
    #expect(world.app.active.value.isDefault)
    #expect(try world.files == ["default"])
  }

  @Test func `the command line exports, imports and resets environments`() throws {
    try world.app.activate(world.app.create(name: "Work"))
    try world.write("work")
    let archive = world.folder.appending(path: "work.archive").path
    #expect(try world.containers("export", "Work", archive).status == 0)
    #expect(try world.containers("import", archive).status == 0)
    #expect(try world.containers("import", archive, "Copy").status == 0)
    #expect(world.names == ["Default", "Work", "Work", "Copy"])
    #expect(try world.containers("switch", "Copy").status == 0)
    #expect(try world.files == ["work"])
    #expect(try world.containers("reset", "--yes").output == "Deleted 3 environments; the default one is active.\n")
    #expect(world.names == ["Default"])
    #expect(try world.files == [])
  }

  @Test func `the command line refuses unknown environments, and names what it cannot find`() throws {
    let archive = world.folder.appending(path: "archive").path
    let commands = [
      ["show", "Nowhere"], ["switch", "Nowhere"], ["clone", "Nowhere"], ["rename", "Nowhere", "Somewhere"],
      ["clean", "Nowhere", "--yes"], ["delete", "Nowhere", "--yes"], ["export", "Nowhere", archive],
    ]
    for command in commands {
      let run = try ToolWorld.signals(["containers"] + command + ["--directory", world.app.home.path])
      #expect(run.status == 2, "\(command)")
      #expect(run.errors.contains("Nowhere"), "\(command): \(run.errors)")
      #expect(run.output.isEmpty)
    }
    #expect(try world.containers("list", "--root", "elsewhere").status == 2)
    #expect(world.names == ["Default"])
    #expect(!FileManager.default.fileExists(atPath: archive))
  }

  @Test func `the command line refuses what an app refuses, and then nothing has changed`() throws {
    _ = try world.app.create(name: "Work")
    try world.write("default")
    let id = AppContainer.Environment.defaultID.uuidString
    let deletion = try world.containers("delete", id, "--yes")
    #expect(deletion.status == 1)
    #expect(deletion.errors.contains("default environment"), "\(deletion.errors)")
    let broken = world.folder.appending(path: "broken").path
    try Data("no archive".utf8).write(to: URL(filePath: broken))
    let importing = try world.containers("import", broken)
    #expect(importing.status == 1)
    #expect(importing.errors.contains("broken"), "\(importing.errors)")
    #expect(try world.containers("import", broken + ".missing").status == 1)
    #expect(try world.containers("export", "Work", world.folder.path + "/missing/folder/work").status == 1)
    #expect(world.names == ["Default", "Work"])
    #expect(try world.files == ["default"])
  }

  @Test func `without a terminal, the command line cleans, deletes and resets only with --yes`() throws {
    try world.app.activate(world.app.create(name: "Work"))
    try world.write("work")
    for command in [["clean", "Work"], ["delete", "Work"], ["reset"]] {
      let run = try ToolWorld.signals(["containers"] + command + ["--directory", world.app.home.path])
      #expect(run.status == 4, "\(command)")
    }
    for command in [["clean", "Work"], ["delete", "Work"], ["reset"], ["create", "New"], ["switch", "Default"]] {
      let run = try ToolWorld.signals(["containers"] + command + ["--dry-run", "--directory", world.app.home.path])
      #expect(run.status == 0 && run.output.hasPrefix("Would "), "\(command): \(run.output)\(run.errors)")
    }
    #expect(world.names == ["Default", "Work"])
    #expect(world.app.active.value.name == "Work")
    #expect(try world.files == ["work"])
  }
}
