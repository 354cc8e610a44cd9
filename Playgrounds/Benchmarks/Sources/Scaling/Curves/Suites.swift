import AppGroups
import FileSignals
import Foundation
import Machine

/// Large files: suites with many keys, and large values.
let suiteCurves = [
  Curve(
    "keys", "Set one key of a suite", by: "keys", [10, 100, 1_000, 10_000, 100_000, 1_000_000],
    [
      .init("Signals") { size in
        let directory = try TemporaryDirectory(isInMemory: true)
        let suite = try filledSuite(of: size, in: directory)
        return .repeated { count in
          for number in 0..<count { try suite.set(number, forKey: "key \(size / 2)") }
          withExtendedLifetime(directory) {}
        }
      },
      .init("bare append") { _ in
        let directory = try TemporaryDirectory(isInMemory: true)
        let journal = try RawJournal(in: directory.url)
        return .repeated { count in
          for number in 0..<count { try journal.append(number) }
          withExtendedLifetime(directory) {}
        }
      },
      .init("dictionary, JSON, rename", upTo: 100_000) { size in
        let directory = try TemporaryDirectory(isInMemory: true)
        let path = directory.file("suite.json").path
        var values = dictionary(of: size)
        let encoder = JSONEncoder()
        return .repeated { count in
          for number in 0..<count {
            values["key \(size / 2)"] = number
            try Bare.replace(path, by: Array(encoder.encode(values)))
          }
          withExtendedLifetime(directory) {}
        }
      },
    ]),
  Curve(
    "opening", "Open a suite and read one key", by: "keys", [10, 100, 1_000, 10_000, 100_000, 1_000_000],
    [
      .init("Signals") { size in
        let directory = try TemporaryDirectory(isInMemory: true)
        let suite = try filledSuite(of: size, in: directory)
        try suite.synchronize()
        return .repeated { count in
          for _ in 0..<count {
            let suite = try sharedSuite(in: directory)
            guard try suite.value(forKey: "key 5", as: Int.self) == 5 else { throw WrongValue() }
          }
        }
      },
      .init("read, decode") { size in
        let directory = try TemporaryDirectory(isInMemory: true)
        let file = directory.file("suite.json")
        try JSONEncoder().encode(dictionary(of: size)).write(to: file)
        return .repeated { count in
          for _ in 0..<count {
            let values = try JSONDecoder().decode([String: Int].self, from: Data(contentsOf: file))
            guard values["key 5"] == 5 else { throw WrongValue() }
          }
          withExtendedLifetime(directory) {}
        }
      },
    ]),
  Curve(
    "bytes", "Write a value into a shared file", by: "bytes", [100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000],
    [
      .init("Signals") { size in
        let directory = try TemporaryDirectory(isInMemory: true)
        let text = text(of: size)
        let file = try AppGroupsFile(
          name: "value.json", initialValue: Document(count: 0, text: text),
          container: AppGroupsContainer(directory: directory.url))
        return .repeated { count in
          for number in 0..<count { try file.write(Document(count: number, text: text)) }
          withExtendedLifetime(directory) {}
        }
      },
      .init("JSON, rename") { size in
        let directory = try TemporaryDirectory(isInMemory: true)
        let path = directory.file("value.json").path
        let text = text(of: size)
        let encoder = JSONEncoder()
        return .repeated { count in
          for number in 0..<count {
            try Bare.replace(path, by: Array(encoder.encode(Document(count: number, text: text))))
          }
          withExtendedLifetime(directory) {}
        }
      },
      .init("rename of the bytes") { size in
        try renames(of: JSONEncoder().encode(Document(count: 0, text: text(of: size))))
      },
    ]),
]

private struct Document: Codable, Sendable {
  var count: Int
  var text: String
}

private func text(of size: Int) -> String {
  String(repeating: "A sentence of a document. ", count: size / 26 + 1)
}

/// The least that replacing a file of this size takes.
private func renames(of data: Data) throws -> Work {
  let directory = try TemporaryDirectory(isInMemory: true)
  let path = directory.file("value.json").path
  let bytes = Array(data)
  return .repeated { count in
    for _ in 0..<count { try Bare.replace(path, by: bytes) }
    withExtendedLifetime(directory) {}
  }
}

private func sharedSuite(in directory: TemporaryDirectory) throws -> AppGroupsSuite {
  try AppGroupsSuite(
    name: "suite.json", container: AppGroupsContainer(directory: directory.url), options: .init(durability: .process))
}

private func filledSuite(of size: Int, in directory: TemporaryDirectory) throws -> AppGroupsSuite {
  let suite = try sharedSuite(in: directory)
  try suite.update { contents in
    for number in 0..<size { try contents.set(number, forKey: "key \(number)") }
  }
  return suite
}

private func dictionary(of size: Int) -> [String: Int] {
  Dictionary(uniqueKeysWithValues: (0..<size).map { ("key \($0)", $0) })
}

private struct WrongValue: Error {}
