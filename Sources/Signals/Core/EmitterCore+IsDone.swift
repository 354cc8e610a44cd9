extension EmitterCore {
  /// Whether nobody takes values any more, which a source that feeds the core asks.
  ///
  /// A thread that cannot have the turn cannot know, and takes it that somebody does.
  @usableFromInline
  package final var isDone: Bool {
    guard takeTurn() else { return false }
    var isDone = true
    for index in 0..<slotCount where isDone {
      slots[index]?._withUnsafeGuaranteedRef { node in
        guard !node.isDead else { return }
        withUnsafeMutablePointer(to: &isDone) { answer in
          ErasedSubscriber<Element, Failure>.tell(.isDone(answer), node.body)
        }
      }
    }
    if !releaseTurn() { drain() }
    return isDone
  }
}
