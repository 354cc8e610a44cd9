/// The watches of one directory, indexed by the entries they wait for.
///
/// An event is for few of them, however many files of the directory are observed.
struct WatchPoints {
  private var points: [WatchToken: WatchPoint] = [:]
  /// The watches for which any entry may be relevant.
  private var openMinded: Set<WatchToken> = []
  /// The other watches, by the names of their relevant entries.
  private var byName: [String: Set<WatchToken>] = [:]

  var isEmpty: Bool { points.isEmpty }
  var tokens: some Collection<WatchToken> { points.keys }
  var all: some Collection<WatchPoint> { points.values }

  mutating func add(_ point: WatchPoint, _ token: WatchToken) {
    points[token] = point
    guard let names = point.names else { return _ = openMinded.insert(token) }
    for name in names { byName[name, default: []].insert(token) }
  }

  mutating func remove(_ token: WatchToken) -> WatchPoint? {
    guard let point = points.removeValue(forKey: token) else { return nil }
    openMinded.remove(token)
    for name in point.names ?? [] {
      byName[name]?.remove(token)
      if byName[name]?.isEmpty == true { byName[name] = nil }
    }
    return point
  }

  /// Calls a closure with each point for which an event is relevant, and with the entry's name.
  ///
  /// - Parameters:
  ///   - kinds: The kinds of the event.
  ///   - bytes: The bytes of the entry's name; empty if the event is about the directory itself.
  ///   - body: The closure to call.
  func forEach(
    wanting kinds: WatchKinds, _ bytes: some Collection<UInt8>, _ body: (WatchPoint, String?) -> Void
  ) {
    let name = bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    guard let name, kinds.isDisjoint(with: .structural) else {
      for point in points.values where point.wants(kinds, name) { body(point, name) }
      return
    }
    for tokens in [openMinded, byName[name] ?? []] {
      for token in tokens {
        if let point = points[token], point.wants(kinds, name) { body(point, name) }
      }
    }
  }
}
