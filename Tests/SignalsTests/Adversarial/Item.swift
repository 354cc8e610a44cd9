/// A value that the programs send, which records its sender, its source and its serial number.
///
/// It carries an object, so that a leak is noticed.
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

/// The received value: one item, or one from each input of a combination.
typealias Items = [Item]

/// The state of one thread of a program, which no other thread touches.
final class Sender: @unchecked Sendable {  // Sound: only its thread touches it.
  @TaskLocal static var current: Sender?

  let number: Int
  var serial = 0

  /// The number of values that it may still send, so that callbacks that send come to an end.
  var budget = 150

  init(number: Int) {
    self.number = number
  }
}
