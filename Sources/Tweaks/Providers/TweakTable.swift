import Foundation

/// The tweaks of a provider at one moment, with what has changed since earlier moments.
///
/// A provider exposes its table as a property. Each change of a table is one step, which names the tweaks that it
/// touched, so that a ``TweakManager`` looks up these alone. Two tables are equal if the same steps led to them.
///
/// ```swift
/// import Signals
/// import Tweaks
///
/// let table = MutableProperty(TweakTable([Tweak(feature: "shop", variable: "limit", value: 10)]))
/// let old = table.value
/// table.modify { $0.replace(with: [Tweak(feature: "shop", variable: "limit", value: 20)]) }
/// print(table.value.changes(since: old))  // Prints "tweaks(Set([shop/limit]))"
/// ```
public struct TweakTable: Sendable {
  /// A tweak, or the reason why it cannot be used.
  typealias Entry = Result<Tweak, TweakError>

  /// A closure that checks a tweak when it is looked up, such as for its end.
  typealias Check = @Sendable (Tweak) throws(TweakError) -> Tweak?

  /// The closures that answer for tweaks that are in no table.
  struct Answers: Sendable {
    let tweak: @Sendable (String, String) throws(TweakError) -> Tweak?
    /// The state of a feature, if it is not simply the Bool of a tweak.
    var featureState: (@Sendable (String) throws(TweakError) -> Bool?)?
    let ids: @Sendable () -> Set<TweakID>
    /// Returns whether answers may change without an update, because the provider cannot announce changes.
    var isUnannounced: @Sendable () -> Bool = { false }
  }

  private enum Contents: Sendable {
    case entries([TweakID: Entry])
    case file(TweakFile)
    case asked(Answers)
  }

  /// The identity of the tables that steps lead to from one table.
  fileprivate final class Origin: Sendable {}

  /// The moment of a table, without its tweaks.
  struct Moment: Sendable, Equatable {
    private let origin: Origin
    fileprivate let step: Int

    fileprivate init(_ origin: Origin, _ step: Int) { (self.origin, self.step) = (origin, step) }

    /// Returns whether steps lead from one of the two tables to the other.
    func hasOrigin(of table: TweakTable) -> Bool { origin === table.storage.origin }

    /// Returns whether a table of the same origin is older.
    func isAfter(_ table: TweakTable) -> Bool { hasOrigin(of: table) && step > table.storage.step }

    static func == (first: Moment, second: Moment) -> Bool {
      first.origin === second.origin && first.step == second.step
    }
  }

  /// The parts of a table, in one object, so that a copy is one reference: a manager copies tables at each lookup.
  private final class Storage: @unchecked Sendable {
    // Sound: a table changes its storage only while it has the only reference.
    var contents: Contents
    let check: Check?
    let origin: Origin
    var step = 0

    /// The tweaks that each of the last steps touched.
    var touched: [TweakUpdate] = []

    init(_ contents: Contents, _ check: Check?, _ origin: Origin) {
      (self.contents, self.check, self.origin) = (contents, check, origin)
    }

    convenience init(copying other: Storage) {
      self.init(other.contents, other.check, other.origin)
      (step, touched) = (other.step, other.touched)
    }

    func touch(_ update: TweakUpdate) {
      if touched.count == TweakTable.memory { touched.removeFirst(TweakTable.memory / 2) }
      touched.append(update)
      step += 1
    }
  }

  private var storage: Storage

  /// The number of steps that are remembered; a larger distance touches everything.
  private static let memory = 16

  private init(_ contents: Contents, check: Check? = nil) { storage = Storage(contents, check, Origin()) }

  /// The storage for changes, which no other table has.
  private var own: Storage {
    mutating get {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(copying: storage) }
      return storage
    }
  }

  /// Creates a table.
  ///
  /// - Parameter tweaks: The tweaks. Of several with the same name, the last one counts.
  public init(_ tweaks: [Tweak] = []) { self.init(Self.entries(tweaks)) }

  init(_ entries: [TweakID: Entry], check: Check? = nil) { self.init(.entries(entries), check: check) }

  init(_ file: TweakFile) { self.init(.file(file)) }

  init(asking answers: Answers) { self.init(.asked(answers)) }

  private static func entries(_ tweaks: [Tweak]) -> [TweakID: Entry] {
    Dictionary(tweaks.lazy.map { ($0.id, .success($0)) }) { $1 }
  }

  // MARK: Reading

  /// Returns a tweak by name.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  /// - Returns: The tweak, possibly encrypted, or `nil` if there is none.
  /// - Throws: ``TweakError`` if the tweak cannot be used.
  public func tweak(feature: String, variable: String) throws(TweakError) -> Tweak? {
    switch storage.contents {
    case .entries(let entries):
      guard let tweak = try entries[TweakID(feature: feature, variable: variable)]?.get() else { return nil }
      return if let check = storage.check { try check(tweak) } else { tweak }
    case .file(let file): return file.tweaks[feature, variable]
    case .asked(let answers): return try answers.tweak(feature, variable)
    }
  }

  /// Returns whether a feature is enabled.
  ///
  /// It is the Bool of the variable ``Tweak/enabledVariable``. A feature in a file is enabled unless the file says
  /// otherwise.
  func featureState(_ feature: String) throws(TweakError) -> Bool? {
    if case .asked(let answers) = storage.contents, let featureState = answers.featureState {
      return try featureState(feature)
    }
    if let tweak = try tweak(feature: feature, variable: Tweak.enabledVariable) { return try tweak.clearBool() }
    if case .file(let file) = storage.contents, file.features.contains(feature) { return true }
    return nil
  }

  /// The names of the tweaks, as far as the provider can list them.
  public var ids: Set<TweakID> {
    switch storage.contents {
    case .entries(let entries):
      guard let check = storage.check else { return Set(entries.keys) }
      return Set(
        entries.keys.filter { id in
          do throws(TweakError) { return try entries[id]?.get().checked(by: check) != nil } catch { return true }
        })
    case .file(let file): return file.tweaks.ids
    case .asked(let answers): return answers.ids()
    }
  }

  /// The file, if the tweaks are those of a file.
  var file: TweakFile? { if case .file(let file) = storage.contents { file } else { nil } }

  /// The ends of the overrides that have one.
  var ends: [Date] { if case .entries(let entries) = storage.contents { entries.values.compactMap(\.end) } else { [] } }

  /// A Boolean value that indicates whether each lookup asks the provider, whose answers may change at any time.
  var isAsked: Bool { if case .asked = storage.contents { true } else { false } }

  /// A Boolean value that indicates whether answers may change without a step of the table.
  var isUnannounced: Bool { if case .asked(let answers) = storage.contents { answers.isUnannounced() } else { false } }

  // MARK: Changes

  /// Returns the tweaks that may differ from an earlier table.
  ///
  /// - Parameter old: A table that the provider had before.
  /// - Returns: The tweaks that the steps since then have touched. If there were many, or if the table has another
  ///   origin, it is everything.
  public func changes(since old: TweakTable) -> TweakUpdate { changes(since: old.moment) }

  /// The moment of the table.
  var moment: Moment { Moment(storage.origin, storage.step) }

  func changes(since moment: Moment) -> TweakUpdate {
    let distance = storage.step - moment.step
    guard moment.hasOrigin(of: self), distance <= storage.touched.count else { return .everything }
    if distance <= 0 { return .nothing }
    return storage.touched.suffix(distance).reduce(into: .nothing) { $0.formUnion($1) }
  }

  /// Replaces all tweaks, in one step that touches those that differ.
  ///
  /// - Parameter tweaks: The new tweaks. Of several with the same name, the last one counts.
  public mutating func replace(with tweaks: [Tweak]) { replace(with: Self.entries(tweaks)) }

  mutating func replace(with new: [TweakID: Entry]) {
    guard case .entries(let old) = storage.contents else { return }
    var changed = Set(old.keys.lazy.filter { new[$0] == nil })
    for (id, entry) in new where old[id] != entry { changed.insert(id) }
    own.contents = .entries(new)
    if !changed.isEmpty { touch(.tweaks(changed)) }
  }

  mutating func replace(with new: TweakFile) {
    guard case .file(let old) = storage.contents else { return }
    own.contents = .file(new)
    let changed = new.difference(from: old)
    if !changed.isEmpty { touch(.tweaks(changed)) }
  }

  /// Records a step that touches some tweaks.
  mutating func touch(_ update: TweakUpdate) { own.touch(update) }

  /// Changes the tweaks in one step, which touches those whose names the closure returns.
  mutating func change(_ body: (inout [TweakID: Entry]) -> Set<TweakID>) -> Set<TweakID> {
    let storage = own
    guard case .entries(var entries) = storage.contents else { return [] }
    storage.contents = .entries([:])
    let changed = body(&entries)
    storage.contents = .entries(entries)
    if !changed.isEmpty { storage.touch(.tweaks(changed)) }
    return changed
  }
}

extension TweakTable: Equatable {
  /// Compares the origin and the number of steps.
  public static func == (first: TweakTable, second: TweakTable) -> Bool {
    first.moment == second.moment
  }
}

extension TweakTable.Entry {
  /// The tweak, if it can be used.
  var tweak: Tweak? { if case .success(let tweak) = self { tweak } else { nil } }

  /// The end of the override, if it has one.
  var end: Date? { if case .success(let tweak) = self { tweak.expiration } else { nil } }
}

extension Tweak {
  /// Creates the tweak of an edit.
  init(_ edit: TweakEdit, value: TweakValue, source: String) {
    self.init(feature: edit.id.feature, variable: edit.id.variable, value: value, source: source)
    if let end = edit.expiration { expiration = end }
  }

  fileprivate func checked(by check: TweakTable.Check) throws(TweakError) -> Tweak? { try check(self) }
}
