/// What is different between two values, one line for each place.
struct JSONDifference {
  private(set) var lines: [String] = []

  init(from old: JSONValue, to new: JSONValue) {
    compare(old, new, at: "")
  }

  private mutating func compare(_ old: JSONValue?, _ new: JSONValue?, at path: String) {
    switch (old, new) {
    case let (old, new) where old == new:
      break
    case (.object(let old), .object(let new)):
      for name in Set(old.keys).union(new.keys).sorted() {
        compare(old[name], new[name], at: path.isEmpty ? name : "\(path).\(name)")
      }
    case (.array(let old), .array(let new)):
      for index in 0..<max(old.count, new.count) {
        let (before, after) = (index < old.count ? old[index] : nil, index < new.count ? new[index] : nil)
        compare(before, after, at: "\(path)[\(index)]")
      }
    case (let old?, let new?):
      lines.append("\(path.isEmpty ? "" : "\(path): ")\(old) → \(new)")
    case (let old?, nil):
      lines.append("\(path): \(old) removed")
    case (nil, let new?):
      lines.append("\(path): \(new) added")
    case (nil, nil):
      break
    }
  }
}
