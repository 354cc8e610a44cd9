import AppGroups
import Configuration
import FileSignals
import Foundation
import Machine
import Signals
import SystemPackage

/// The objects that observe files, of which there are ten in each directory.
let fileObjects = [
  MeasuredObject(
    "observed file", count: 1_000,
    ours: { count in
      let directory = try TemporaryDirectory(isInMemory: true)
      return Kept(
        (
          directory,
          try files(count, in: directory).map { file in
            let observer = try FileObserver(file)
            return (observer, observer.sink { _ in })
          }
        ))
    }),
  MeasuredObject(
    "shared file with a decoded value, observed", count: 1_000,
    ours: { count in
      let directory = try TemporaryDirectory(isInMemory: true)
      let files = try (0..<count).map { number in
        let container = try AppGroupsContainer(directory: directory.file("\(number / 10)"))
        let file = try AppGroupsFile(
          name: "\(number).json", initialValue: Payload(count: 0), container: container,
          options: .init(durability: .process))
        return (file, file.sink { _ in })
      }
      return Kept((directory, files))
    },
    beside: .init("swift-configuration") { count in
      let directory = try TemporaryDirectory(isInMemory: true)
      var providers: [ReloadingFileProvider<JSONSnapshot>] = []
      for file in try files(count, in: directory) {
        providers.append(try await ReloadingFileProvider(filePath: FilePath(file.path)))
      }
      return Kept((directory, providers))
    }),
]

private func files(_ count: Int, in directory: TemporaryDirectory) throws -> [URL] {
  try (0..<count).map { number in
    let folder = directory.file("\(number / 10)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "\(number).json")
    try Bare.replace(file.path, by: Payload.bytes(count: 0))
    return file
  }
}
