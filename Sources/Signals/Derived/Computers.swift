/// The threads that are computing one derived value; rarely more than one.
@usableFromInline
struct Computers {
  let origin: DerivedOrigin
  private var first: ThreadIdentity?
  private var others: [ThreadIdentity] = []

  @usableFromInline
  init(of origin: DerivedOrigin) {
    self.origin = origin
  }

  var isEmpty: Bool { first == nil }

  /// Records that this thread computes the value.
  @usableFromInline
  mutating func begin() {
    let thread = ThreadIdentity.current
    if first == nil {
      first = thread
    } else {
      checkDependency(of: thread)
      others.append(thread)
    }
  }

  /// Ends what ``begin()`` began.
  @usableFromInline
  mutating func end() {
    // A single computer can only be this thread.
    if others.isEmpty {
      first = nil
      return
    }
    let thread = ThreadIdentity.current
    if first == thread {
      first = others.removeLast()
    } else if let index = others.lastIndex(of: thread) {
      others.remove(at: index)
    }
  }

  /// Stops with an explanation if a thread is already computing the value, since it would then recurse forever.
  func checkDependency(of thread: ThreadIdentity) {
    guard let first else { return }
    if first == thread || others.contains(thread) {
      stop(
        because: """
          A derived value depends on itself: the transform of \(origin) reads its own result, or writes a property that \
          it is derived from. Let the transform depend on its arguments alone.
          """
      )
    }
  }
}

/// The declaration of a derived value: its type, and its place in the code.
@usableFromInline
struct DerivedOrigin: CustomStringConvertible {
  private let valueType: Any.Type
  private let file: StaticString
  private let line: UInt

  @usableFromInline
  init(valueType: Any.Type, file: StaticString, line: UInt) {
    (self.valueType, self.file, self.line) = (valueType, file, line)
  }

  @usableFromInline var description: String { "the Property<\(valueType)> derived at \(file):\(line)" }
}

@available(*, unavailable)
extension Computers: Sendable {}

@available(*, unavailable)
extension DerivedOrigin: Sendable {}
