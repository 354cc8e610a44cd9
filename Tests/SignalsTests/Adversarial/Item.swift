/// What the programs send: a value that says who sent it, where, and after how many others.
///
/// It carries an object, so that a value left behind is noticed.
struct Item: Sendable, Hashable, CustomStringConvertible {
  let source: Int
  let sender: Int
  let serial: Int
  private let probe: Probe

  init(source: Int, sender: Int, serial: Int, probe: Probe) {
    self.source = source
    self.sender = sender
    self.serial = serial
    self.probe = probe
  }

  static func == (left: Item, right: Item) -> Bool {
    left.source == right.source && left.sender == right.sender && left.serial == right.serial
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(source)
    hasher.combine(sender)
    hasher.combine(serial)
  }

  var description: String { "\(source)/\(sender)#\(serial)" }
}

/// What arrives: one item, or one of each input of a combination.
typealias Items = [Item]

/// What belongs to one thread of a program, and is touched by no other.
final class Sender: @unchecked Sendable {  // Sound: only its thread touches it.
  @TaskLocal static var current: Sender?

  let number: Int
  var serial = 0

  /// How many more values it may send, so that callbacks that send come to an end.
  var budget = 150

  init(number: Int) {
    self.number = number
  }
}
