import Foundation
import SignalsKit

let directory = FileManager.default.temporaryDirectory.appending(path: "org.example.reader")
let container = try AppGroupsContainer(directory: directory)
let counter = try AppGroupsFile(name: "counter.json", initialValue: 0, container: container)

if CommandLine.arguments.contains("worker") {
  // One of four other processes.
  for _ in 1...250 { try counter.update { $0 += 1 } }
  exit(0)
}

let program = URL(filePath: CommandLine.arguments[0])
let workers = try (1...4).map { _ in try Process.run(program, arguments: ["worker"]) }
for worker in workers { worker.waitUntilExit() }
print(try counter.read())  // Prints "1000"
