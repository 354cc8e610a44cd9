// The compiler rejects a list of signals that differ in element or failure with "failed to produce diagnostic". These
// functions accept such a list, so that it can say instead what is wrong.

/// Rejects a list of signals whose elements or failures differ.
@available(
  *, unavailable,
  message: "The signals of a list need the same Element and Failure; use map, mapError or setFailureType"
)
@_disfavoredOverload
public func merge(_ signals: [any Signal]) -> NeverSignal<Never, Never> {
  NeverSignal()
}

/// Rejects a list of signals whose elements or failures differ.
@available(
  *, unavailable,
  message: "The signals of a list need the same Element and Failure; use map, mapError or setFailureType"
)
@_disfavoredOverload
public func combineLatest(_ signals: [any Signal]) -> NeverSignal<Never, Never> {
  NeverSignal()
}

/// Rejects a list of signals whose elements or failures differ.
@available(
  *, unavailable,
  message: "The signals of a list need the same Element and Failure; use map, mapError or setFailureType"
)
@_disfavoredOverload
public func zip(_ signals: [any Signal]) -> NeverSignal<Never, Never> {
  NeverSignal()
}

/// Rejects a list of signals whose elements or failures differ.
@available(
  *, unavailable,
  message: "The signals of a list need the same Element and Failure; use map, mapError or setFailureType"
)
@_disfavoredOverload
public func concat(_ signals: [any Signal]) -> NeverSignal<Never, Never> {
  NeverSignal()
}
