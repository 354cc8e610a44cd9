import Foundation
import SignalsKit

let directory = FileManager.default.temporaryDirectory.appending(path: "org.example.reader")
let container = try AppGroupsContainer(directory: directory)
let suite = try AppGroupsSuite(name: "preferences.json", container: container)

if let name = CommandLine.arguments.dropFirst().first {
  // One of four other processes.
  for number in 1...50 { try suite.set(number, forKey: "\(name) \(number)") }
  exit(0)
}

let program = URL(filePath: CommandLine.arguments[0])
let workers = try ["a", "b", "c", "d"].map { try Process.run(program, arguments: [$0]) }
for worker in workers { worker.waitUntilExit() }
print(try suite.read().keys.count)  // Prints "200"
