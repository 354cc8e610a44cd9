import Dispatch
import Foundation

/// A cost as a function of a size, for several contenders.
struct Curve: Sendable {
  let id: String

  /// The work that is measured.
  let title: String

  /// The quantity that grows.
  let size: String
  let sizes: [Int]
  let lines: [Line]

  /// One contender of a curve.
  struct Line: Sendable {
    let name: String
    /// The sizes that are too slow or too large for this contender are left out.
    let limit: Int
    let prepare: @Sendable (Int) throws -> Work

    init(_ name: String, upTo limit: Int = .max, _ prepare: @escaping @Sendable (Int) throws -> Work) {
      (self.name, self.limit, self.prepare) = (name, limit, prepare)
    }
  }

  init(_ id: String, _ title: String, by size: String, _ sizes: [Int], _ lines: [Line]) {
    (self.id, self.title, self.size, self.sizes, self.lines) = (id, title, size, sizes, lines)
  }

  func measured() throws -> MeasuredCurve {
    var points: [MeasuredCurve.Point] = []
    for line in lines {
      for size in sizes where size <= line.limit {
        let nanoseconds = try line.prepare(size).median()
        points.append(.init(line: line.name, size: size, nanoseconds: nanoseconds))
        print("\(id): \(line.name), \(size): \(Int(nanoseconds)) ns")
      }
    }
    return MeasuredCurve(id: id, title: title, size: size, points: points)
  }
}

/// The points of a curve, as the script that draws them reads it.
struct MeasuredCurve: Encodable {
  let id: String
  let title: String
  let size: String
  let points: [Point]

  struct Point: Encodable {
    let line: String
    let size: Int
    let nanoseconds: Double
  }
}
