extension EmitterCore {
  /// A Boolean value that indicates whether the subscribers need no more values; checked by a source that feeds the
  /// core.
  ///
  /// A thread that cannot take the turn cannot know, and assumes that a subscriber needs values.
  @usableFromInline
  package final var isDone: Bool {
    guard takeTurn() else { return false }
    var isDone = true
    for index in 0..<Int(slotCount) where isDone {
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
