import Signals
public import Synchronization

/// The resolution of one tweak, in the place where readers find it.
///
/// Reading a Bool or a number takes a few plain loads. All other reads take a lock.
@usableFromInline
final class TweakSlot: Sendable {
  /// The kind of value in the word; 0 before a resolution is stored.
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

  private struct Contents: Sendable {
    /// The stored resolution, or `nil` before the first.
    var resolution: TweakResolution?
    var text = ""

    /// A Boolean value that indicates whether the first read of the value must be noticed.
    ///
    /// Until then, the word has no value, so that the read takes the slow path.
    var isConcealed = false

    /// The decoded value of a structure, and its type.
    var decoded: Decoded?
    var decodedType: ObjectIdentifier?

    /// The address of the decoded value, with which a read counts no reference to it; 0 if there is none.
    var decodedAddress: UInt = 0

    /// The types for which a mismatch has been reported since the last change.
    var reported: Set<ObjectIdentifier> = []
  }

  let id: TweakID
  let hash: Int

  /// The mark in the low byte, with the number of writes above it.
  @usableFromInline let word = Atomic<UInt64>(0)
  @usableFromInline let bits = Atomic<UInt64>(0)

  private let contents = Guarded(Contents())

  init(id: TweakID, hash: Int) {
    self.id = id
    self.hash = hash
  }

  /// The result of a read that does not wait.
  @usableFromInline
  enum Glance: Sendable {
    case value(TweakValue)
    /// No provider has the tweak.
    case absent
    /// The full resolution must be read.
    case unclear
  }

  /// The value, as far as it can be read without waiting.
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
    contents.withLock { contents in
      word.load(ordering: .relaxed) == before ? .value(.string(contents.text)) : .unclear
    }
  }

  /// The resolution, or `nil` if none is stored.
  var resolution: TweakResolution? { contents.withLock { $0.resolution } }

  /// Returns whether a mismatch with a type has yet to be reported since the last change, and marks it as reported.
  func shouldReport(_ type: any Any.Type) -> Bool {
    let type = ObjectIdentifier(type)
    return contents.withLock { $0.reported.insert(type).inserted }
  }

  private typealias Decoded = any AnyObject & Sendable

  /// Stores a resolution.
  ///
  /// The caller holds the manager's lock.
  ///
  /// - Parameters:
  ///   - new: The resolution.
  ///   - isConcealed: A Boolean value that indicates whether the next read must be noticed.
  func store(_ new: TweakResolution, isConcealed: Bool) {
    contents.replace { contents in
      contents.resolution = new
      contents.reported = []
      contents.isConcealed = isConcealed
      return show(&contents)
    }
  }

  /// Makes the next read noticeable, or no longer so.
  func conceal(_ isConcealed: Bool) {
    contents.replace { contents -> Decoded? in
      guard contents.resolution?.tweak != nil, contents.isConcealed != isConcealed else { return nil }
      contents.isConcealed = isConcealed
      return show(&contents)
    }
  }

  /// Returns the tweak if its first read had to be noticed, which is now the case.
  func reveal() -> Tweak? {
    contents.withLock { contents in
      guard contents.isConcealed else { return nil }
      contents.isConcealed = false
      // A concealed value has not been decoded.
      _ = show(&contents)
      return contents.resolution?.tweak
    }
  }

  /// Passes the decoded value of a type to a closure, and returns whether it is known.
  ///
  /// The slot keeps the value during the call, so that a read counts no reference to it. The closure only copies it.
  @usableFromInline
  func copyDecoded(_ type: ObjectIdentifier, _ copy: (Unmanaged<AnyObject>) -> Void) -> Bool {
    contents.withLock { contents in
      guard contents.decodedType == type, let object = UnsafeRawPointer(bitPattern: contents.decodedAddress) else {
        return false
      }
      // Sound: the contents own the object, and do not change while they are locked.
      copy(Unmanaged.fromOpaque(object))
      return true
    }
  }

  /// Returns the decoded value of a type, if it is known.
  @inlinable @inline(__always)
  func decoded<Value: Sendable>(as type: Value.Type) -> Value? {
    var value: Value?
    _ = copyDecoded(ObjectIdentifier(type)) { value = DecodedValue<Value>.value(in: $0) }
    return value
  }

  /// Keeps a decoded value, unless the resolution has changed or its first read must be noticed.
  func keep<Value: Sendable>(_ value: Value, of resolution: TweakResolution) {
    contents.replace { contents -> Decoded? in
      // A resolution that may change without an update is decoded at each read.
      guard contents.resolution == resolution, !contents.isConcealed, !resolution.isUnannounced else { return nil }
      let object = DecodedValue(value)
      contents.decodedAddress = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
      contents.decodedType = ObjectIdentifier(Value.self)
      return exchange(&contents.decoded, with: object)
    }
  }

  /// Writes the value where readers find it.
  ///
  /// - Returns: The old decoded value. Its release may run code of the app, so the caller unlocks the contents first.
  private func show(_ contents: inout Contents) -> Decoded? {
    contents.decodedAddress = 0
    contents.decodedType = nil
    let old = exchange(&contents.decoded, with: nil)
    guard let new = contents.resolution else { return old }
    var mark = Mark.other
    var newBits: UInt64 = 0
    var newText = ""
    switch new.result {
    case _ where new.isUnannounced: break
    case .failure(.notFound): mark = Mark.absent
    case .failure: break
    case .success(let tweak) where tweak.isUntyped || tweak.isStructured || contents.isConcealed: break
    case .success(let tweak):
      switch tweak.value {
      case .bool(let value): (mark, newBits) = (Mark.bool, value ? 1 : 0)
      case .int(let value): (mark, newBits) = (Mark.int, UInt64(bitPattern: Int64(value)))
      case .double(let value): (mark, newBits) = (Mark.double, value.bitPattern)
      case .string(let value): (mark, newText) = (Mark.string, value)
      }
    }
    contents.text = newText
    let count = (word.load(ordering: .relaxed) >> 8 &+ 1) << 8
    word.store(count | UInt64(Mark.writing), ordering: .relaxed)
    // A reader that sees these bits also sees the word above.
    bits.store(newBits, ordering: .releasing)
    word.store(count | UInt64(mark), ordering: .releasing)
    return old
  }
}

extension TweakSlot: CustomReflectable {
  /// The children that `dump` shows of a property wrapper.
  ///
  /// The value may be secret and is omitted.
  @usableFromInline
  var customMirror: Mirror { Mirror(self, children: ["id": id], displayStyle: .class) }
}

/// A decoded value, in an object that a slot keeps.
@usableFromInline
final class DecodedValue<Value: Sendable>: Sendable {
  @usableFromInline let value: Value

  init(_ value: Value) {
    self.value = value
  }

  @inlinable @inline(__always)
  static func value(in object: Unmanaged<AnyObject>) -> Value {
    // Sound: the slot stores an object of this type for the type, and keeps it during the call.
    object._withUnsafeGuaranteedRef { unsafeDowncast($0, to: DecodedValue<Value>.self).value }
  }
}
