// For a list of signals that differ in element or failure type, the compiler reports "failed to produce diagnostic".
// These overloads accept such a list, so that the compiler can report the actual error.

/// Rejects a list of signals whose element or failure types differ.
@available(*, unavailable, message: "These need the same Element and Failure; use map, mapError or setFailureType")
@_disfavoredOverload
public func merge(_ signals: [any Signal]) -> NeverSignal<Never, Never> { NeverSignal() }

/// Rejects a list of signals whose element or failure types differ.
@available(*, unavailable, message: "These need the same Element and Failure; use map, mapError or setFailureType")
@_disfavoredOverload
public func combineLatest(_ signals: [any Signal]) -> NeverSignal<Never, Never> { NeverSignal() }

/// Rejects a list of signals whose element or failure types differ.
@available(*, unavailable, message: "These need the same Element and Failure; use map, mapError or setFailureType")
@_disfavoredOverload
public func zip(_ signals: [any Signal]) -> NeverSignal<Never, Never> { NeverSignal() }

/// Rejects a list of signals whose element or failure types differ.
@available(*, unavailable, message: "These need the same Element and Failure; use map, mapError or setFailureType")
@_disfavoredOverload
public func concat(_ signals: [any Signal]) -> NeverSignal<Never, Never> { NeverSignal() }
