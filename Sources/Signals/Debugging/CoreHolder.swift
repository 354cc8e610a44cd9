/// An object with a source of its own, from which it passes values on.
protocol CoreHolder: AnyObject {
  /// The source; it never changes, so that whoever looks at it needs no turn.
  var heldCore: any TracedSource { get }
}

extension InputHub {
  var heldCore: any TracedSource { core }
}

extension CombineLatestHub: CoreHolder {}

extension DropUntilOutputHub: CoreHolder {}

extension MergeHub: CoreHolder {}

extension PrefixUntilOutputHub: CoreHolder {}

extension SampleByHub: CoreHolder {}

extension WithLatestHub: CoreHolder {}

extension ZipHub: CoreHolder {}

extension FlatMapHub: CoreHolder {
  var heldCore: any TracedSource { core }
}

extension SwitchHub: CoreHolder {
  var heldCore: any TracedSource { core }
}

extension ShareRound: CoreHolder {
  var heldCore: any TracedSource { core }
}

extension TimedHub: CoreHolder {
  final var heldCore: any TracedSource { core }
}

extension Emitter: CoreHolder {
  var heldCore: any TracedSource { core }
}

extension Property: CoreHolder {
  final var heldCore: any TracedSource { core }
}
