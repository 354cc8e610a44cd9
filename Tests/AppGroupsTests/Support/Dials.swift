/// A value whose parts several processes turn through lenses; the peer declares its own, as another app would.
struct Dials: Codable, Equatable, Sendable {
  struct Pair: Codable, Equatable, Sendable {
    var left = 0
    var right = 0
  }

  var pair = Pair()
  var whole = 0
}
