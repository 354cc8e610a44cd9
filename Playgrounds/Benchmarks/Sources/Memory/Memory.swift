import Catalog
import Foundation

/// Measures how much memory an object of each kind takes, beside the same of another library.
///
/// Without arguments, it prints the table. `--markdown FILE` also writes it between `<!-- memory table -->` and
/// `<!-- end -->` in the file.
@main
enum Memory {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.isEmpty || (arguments.count == 2 && arguments[0] == "--markdown") else {
      FileHandle.standardError.write(Data("usage: Memory [--markdown FILE]\n".utf8))
      exit(2)
    }
    do {
      var lines = ["| one more | ours, bytes | beside | theirs, bytes | ratio |", "| --- | ---: | --- | ---: | ---: |"]
      for object in objects {
        let line = try await object.line()
        print(line)
        lines.append(line)
      }
      if arguments.count == 2 {
        try replaceTable(named: "memory", in: URL(filePath: arguments[1]), with: lines.joined(separator: "\n"))
      }
    } catch {
      FileHandle.standardError.write(Data("error: \(error)\n".utf8))
      exit(1)
    }
  }
}

/// All kinds of objects, in the order of the table.
let objects = signalObjects + fileObjects + databaseObjects

/// A kind of object, and how much memory each contender needs for one.
struct MeasuredObject: Sendable {
  /// A contender and the function that makes a number of its objects.
  struct Contender: Sendable {
    let name: String
    let make: @Sendable (_ count: Int) async throws -> any Sendable

    init(_ name: String, make: @escaping @Sendable (_ count: Int) async throws -> any Sendable) {
      (self.name, self.make) = (name, make)
    }
  }

  let title: String
  let count: Int
  let ours: @Sendable (_ count: Int) async throws -> any Sendable
  let other: Contender?

  init(
    _ title: String, count: Int = 10_000, ours: @escaping @Sendable (_ count: Int) async throws -> any Sendable,
    beside other: Contender? = nil
  ) {
    (self.title, self.count, self.ours, self.other) = (title, count, ours, other)
  }

  /// The line of the table.
  func line() async throws -> String {
    let mine = try await bytes(ours)
    guard let other else { return "| \(title) | \(mine.formatted()) |  |  |  |" }
    let theirs = try await bytes(other.make)
    let ratio = (Double(mine) / Double(theirs)).formatted(.number.precision(.significantDigits(2)))
    return "| \(title) | \(mine.formatted()) | \(other.name) | \(theirs.formatted()) | \(ratio) |"
  }

  /// The bytes that each further object takes, when there are as many as are measured.
  ///
  /// What the objects share, such as the connections of a database, is in both numbers, and not in the difference.
  private func bytes(_ make: @Sendable (Int) async throws -> any Sendable) async throws -> Int {
    // Threads and caches of the process are made by these.
    let first = try await make(count / 10)
    let start = allocatedBytes()
    let single = try await make(count)
    let middle = allocatedBytes()
    let double = try await make(2 * count)
    let end = allocatedBytes()
    withExtendedLifetime((first, single, double)) {}
    return ((end - middle) - (middle - start)) / count
  }
}
