import Signals
public import Synchronization

/// What the providers say of one tweak, or of one feature, at the place where readers find it.
///
/// A Bool or a number is read by a few plain loads. Whatever else it is lies behind a lock.
@usableFromInline
final class TweakSlot: @unchecked Sendable {
  // Sound: the words are atomic, the text is guarded by the lock, and the rest by the manager's.

  /// What the word says of the value; 0 as long as nobody has asked.
  @usableFromInline
  enum Mark: Sendable {
    @usableFromInline static let absent: UInt8 = 1
    @usableFromInline static let bool: UInt8 = 2
    @usableFromInline static let int: UInt8 = 3
    @usableFromInline static let double: UInt8 = 4
    @usableFromInline static let string: UInt8 = 5
    static let other: UInt8 = 6
    static let writing: UInt8 = 7
  }

  let id: TweakID
  let hash: Int

  /// The mark, and above it how often it has been written.
  @usableFromInline let word = Atomic<UInt64>(0)
  @usableFromInline let bits = Atomic<UInt64>(0)

  private let lock = Lock()
  private var text = ""

  // MARK: Guarded by the manager's lock

  /// What was stored last; `nil` until somebody has asked.
  var resolution: TweakResolution?

  /// How often the providers have been asked, and when those were asked whose answer is stored.
  var asked: UInt64 = 0
  var stored: UInt64 = 0

  /// Those who observe it.
  var property: MutableProperty<TweakResolution>?

  /// The types of which a mismatch has been reported since the last change.
  var reported: Set<ObjectIdentifier> = []

  init(id: TweakID, hash: Int) {
    self.id = id
    self.hash = hash
  }

  /// What a look without waiting can find.
  @usableFromInline
  enum Glance: Sendable {
    case value(TweakValue)
    /// No provider has it.
    case absent
    /// Look more closely.
    case unclear
  }

  /// The value, as far as it can be had without waiting.
  @inlinable @inline(__always)
  var glance: Glance {
    let before = word.load(ordering: .acquiring)
    let bits = bits.load(ordering: .acquiring)
    guard word.load(ordering: .relaxed) == before else { return .unclear }
    let mark = UInt8(truncatingIfNeeded: before)
    if mark == Mark.int { return .value(.int(Int(truncatingIfNeeded: bits))) }
    if mark == Mark.bool { return .value(.bool(bits != 0)) }
    if mark == Mark.double { return .value(.double(Double(bitPattern: bits))) }
    if mark == Mark.absent { return .absent }
    return mark == Mark.string ? glanceAtText(before) : .unclear
  }

  @usableFromInline @inline(never)
  func glanceAtText(_ before: UInt64) -> Glance {
    lock.lock()
    defer { lock.unlock() }
    return word.load(ordering: .relaxed) == before ? .value(.string(text)) : .unclear
  }

  /// Stores what the providers said; to be called with the manager's lock held.
  func store(_ new: TweakResolution) {
    resolution = new
    reported = []
    var mark = Mark.other
    var newBits: UInt64 = 0
    var newText = ""
    switch new.result {
    case .failure(.notFound): mark = Mark.absent
    case .failure: break
    case .success(let tweak) where tweak.isUntyped: break
    case .success(let tweak):
      switch tweak.value {
      case .bool(let value): (mark, newBits) = (Mark.bool, value ? 1 : 0)
      case .int(let value): (mark, newBits) = (Mark.int, UInt64(bitPattern: Int64(value)))
      case .double(let value): (mark, newBits) = (Mark.double, value.bitPattern)
      case .string(let value): (mark, newText) = (Mark.string, value)
      }
    }
    lock.lock()
    let count = (word.load(ordering: .relaxed) >> 8 &+ 1) << 8
    word.store(count | UInt64(Mark.writing), ordering: .relaxed)
    // Whoever sees these bits sees the word above, too.
    bits.store(newBits, ordering: .releasing)
    swap(&text, &newText)
    word.store(count | UInt64(mark), ordering: .releasing)
    lock.unlock()
  }
}

extension TweakSlot: CustomReflectable {
  /// What `dump` shows of a property wrapper: no value, because it may be secret.
  @usableFromInline
  var customMirror: Mirror { Mirror(self, children: ["id": id], displayStyle: .class) }
}
