import TestSupport

/// Arrays of small numbers, the first ones empty and short, the same in every run.
let randomInputs: [[Int]] = (0..<40).map { seed in
  var chance = Chance(seed: UInt64(seed))
  return (0..<seed / 2).map { _ in chance.number(below: 4) }
}
