import Containers
import Dispatch
import Foundation
import Signals
import TestSupport
import TestWorld

/// All kinds of values in one scope, which several processes open, change and switch.
///
/// - `world HOME`: open everything in the root HOME, and check each value from now on
/// - `world-write`: write everything without end
/// - `world-hop UUIDS N SEED`: switch to one of the environments at random, N times
/// - `world-stop`: stop writing, and return the numbers of moments, missing rows, writes and violations
final class WorldCommands: CommandFamily {
  private let opened = MutableProperty<ScopedWorld?>(nil)
  private let end = MutableProperty<Result<Void, any Error>?>(nil)

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "world":
      let home = try URL(filePath: command.argument(), directoryHint: .isDirectory)
      try wait { [opened] in
        let world = try await ScopedWorld(home: home)
        world.subscribe()
        opened.value = world
      }
    case "world-write":
      let world = try world()
      Task { [end] in
        do {
          try await world.write()
          end.value = .success(())
        } catch {
          world.stop()
          end.value = .failure(error)
        }
      }
    case "world-hop":
      let arguments = try command.arguments(3)
      var chance = try Chance(seed: UInt64(command.number(arguments[2])))
      for _ in 0..<(try command.number(arguments[1])) { try hop(arguments[0], world().app, &chance) }
    case "world-stop":
      let world = try world()
      world.stop()
      try wait { [end] in try await end.firstValue("the end of all writers") { $0 != nil }?.get() }
      return world.summary()
    default: return nil
    }
    return ""
  }

  private func world() throws -> ScopedWorld {
    guard let world = opened.value else { throw CommandError(description: "no root is open") }
    return world
  }
}
