/// A place in the streams of a hub: what a client has received.
///
/// Changes and states have separate numbers, because the state of a resource can reach a client after later changes of
/// others. A client that continues after such a change still receives that state.
struct EventID: Equatable {
  /// The number of the last frame of the ring.
  var position: Int

  /// The number of the last update whose states are known.
  var moment: Int

  /// Reads an identifier, such as `k3f9:813:1200`.
  ///
  /// - Parameters:
  ///   - text: The header of a request.
  ///   - epoch: The epoch of the hub; an identifier of another one is not known.
  init?(_ text: String?, epoch: String) {
    let parts = text?.split(separator: ":") ?? []
    guard parts.count == 3, parts[0] == epoch, let position = Int(parts[1]), let moment = Int(parts[2]) else {
      return nil
    }
    (self.position, self.moment) = (position, moment)
  }

  init(position: Int, moment: Int) {
    (self.position, self.moment) = (position, moment)
  }

  /// The numbers without the epoch.
  var text: String { "\(position):\(moment)" }
}
