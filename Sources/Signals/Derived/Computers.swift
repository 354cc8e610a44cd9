/// The threads that are computing one derived value: hardly ever more than one.
@usableFromInline
struct Computers {
  private var first: ThreadIdentity?
  private var others: [ThreadIdentity] = []

  @usableFromInline
  init() {}

  var isEmpty: Bool { first == nil }

  /// Notes that this thread computes the value.
  @usableFromInline
  mutating func begin() {
    let thread = ThreadIdentity.current
    checkDependency(of: thread)
    if first == nil { first = thread } else { others.append(thread) }
  }

  /// Ends what ``begin()`` began.
  @usableFromInline
  mutating func end() {
    let thread = ThreadIdentity.current
    if first == thread {
      first = others.popLast()
    } else if let index = others.lastIndex(of: thread) {
      others.remove(at: index)
    }
  }

  /// Stops with an explanation if a thread is computing the value already, as it would for ever.
  func checkDependency(of thread: ThreadIdentity) {
    guard let first else { return }
    if first == thread || others.contains(thread) {
      stop(
        because:
          "A derived value depends on itself: inside its transform it was read, or what it is derived from was written"
      )
    }
  }
}

@available(*, unavailable)
extension Computers: Sendable {}
