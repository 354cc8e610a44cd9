import Signals

/// The contents of a marble diagram: the events of each second.
struct MarbleDiagram: Sendable {
  enum Event: Sendable {
    case value(String)
    case finished
    case failed
  }

  var events: [(second: Int, event: Event)] = []

  /// The characters that have a special meaning.
  private static let marks: Set<Character> = ["-", "|", "#", "[", "]", "'", " "]

  init() {}

  /// Parses a diagram.
  init(_ text: String) {
    var second = 0
    var isInGroup = false
    var word: String?
    func refuse(_ problem: String) -> Never { stop(because: "The marble diagram \"\(text)\" has \(problem)") }
    for (column, character) in text.enumerated() {
      if let letters = word, character != "'" {
        word = letters + String(character)
        continue
      }
      switch character {
      case " ": continue
      case "-": break
      case "[":
        if isInGroup { refuse("a [ inside another [ in column \(column + 1)") }
        isInGroup = true
      case "]":
        if !isInGroup { refuse("a ] without a [ in column \(column + 1)") }
        isInGroup = false
      case "|": events.append((second, .finished))
      case "#": events.append((second, .failed))
      case "'":
        guard let letters = word else {
          word = ""
          continue
        }
        events.append((second, .value(letters)))
        word = nil
      default: events.append((second, .value(String(character))))
      }
      if !isInGroup { second += 1 }
    }
    if let word { refuse("no closing quote after '\(word)") }
    if isInGroup { refuse("no ] for its last [") }
  }

  /// The diagram as text, without the time after the last event.
  var text: String {
    var text = ""
    var second = 0
    var rest = events[...]
    while let next = rest.first {
      text += String(repeating: "-", count: max(0, next.second - second))
      let group = rest.prefix { $0.second == next.second }
      let symbols = group.map { Self.symbol(of: $0.event) }.joined()
      text += group.count == 1 ? symbols : "[\(symbols)]"
      second = next.second + 1
      rest = rest.dropFirst(group.count)
    }
    return text
  }

  private static func symbol(of event: Event) -> String {
    switch event {
    case .finished: "|"
    case .failed: "#"
    case .value(let value):
      if value.count == 1, let character = value.first, !marks.contains(character) { value } else { "'\(value)'" }
    }
  }
}
