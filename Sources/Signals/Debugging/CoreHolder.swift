/// An object with a core of its own, through which it passes values on.
protocol CoreHolder: AnyObject {
  associatedtype Core: TracedSource

  /// The core.
  ///
  /// It never changes, so it can be read without holding the turn.
  var core: Core { get }
}

extension CombinedHub: CoreHolder {}

extension CombiningHub: CoreHolder {}

extension MergeHub: CoreHolder {}

extension RaceHub: CoreHolder {}

extension FlatMapHub: CoreHolder {}

extension SwitchHub: CoreHolder {}

extension ShareRound: CoreHolder {}

extension TimedHub: CoreHolder {}

extension Emitter: CoreHolder {}

extension Property: CoreHolder {}
