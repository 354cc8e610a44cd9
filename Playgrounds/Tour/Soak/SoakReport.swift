/// What a worker has done and seen so far, as the line that it prints.
struct SoakReport: Sendable, Equatable {
  /// How often it has counted in the ledger, over all of its lives.
  var ledger = 0
  /// How often it has counted, appended and flipped its flag, in this life.
  var counted = 0
  var logged = 0
  var visited = 0
  var flag = 0
  /// What must not be seen: a value that is not whole, accounts that are out of balance, a file of no environment.
  var torn = 0
  var unbalanced = 0
  var misplaced = 0

  init() {}

  init?(_ line: String) {
    let parts = line.split(separator: " ")
    let numbers = parts.dropFirst().compactMap { Int($0) }
    guard parts.first == "at", numbers.count == 8 else { return nil }
    (ledger, counted, logged, visited) = (numbers[0], numbers[1], numbers[2], numbers[3])
    (flag, torn, unbalanced, misplaced) = (numbers[4], numbers[5], numbers[6], numbers[7])
  }

  var line: String {
    "at \(ledger) \(counted) \(logged) \(visited) \(flag) \(torn) \(unbalanced) \(misplaced)"
  }
}
