/// An object with a core of its own, through which it passes values on.
protocol CoreHolder: AnyObject {
  /// The core.
  ///
  /// It never changes, so it can be read without holding the turn.
  var heldCore: any TracedSource { get }
}

extension InputHub {
  var heldCore: any TracedSource { core }
}

extension CombinedHub: CoreHolder {}

extension CombiningHub: CoreHolder {}

extension MergeHub: CoreHolder {}

extension RaceHub: CoreHolder {}

extension FlatMapHub: CoreHolder {
  var heldCore: any TracedSource { core }
}

extension SwitchHub: CoreHolder {
  var heldCore: any TracedSource { core }
}

extension ShareRound: CoreHolder {
  var heldCore: any TracedSource { core }
}

extension TimedHub: CoreHolder {}

extension Emitter: CoreHolder {
  var heldCore: any TracedSource { core }
}

extension Property: CoreHolder {
  final var heldCore: any TracedSource { core }
}
