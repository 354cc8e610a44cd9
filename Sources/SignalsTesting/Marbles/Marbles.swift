public import Signals

/// Signals as diagrams, in virtual time.
///
/// One character is one second.
///
/// ```swift
/// import Signals
/// import SignalsTesting
///
/// let marbles = Marbles()
/// let keys = marbles.signal("ab--cd-e-f---gh|")
/// print(marbles.diagram(of: keys.debounce(for: .seconds(3), clock: marbles.clock)))
/// // Prints "------------f--[h|]"
/// ```
///
/// | symbol | meaning |
/// |---|---|
/// | `-` | a second in which nothing happens |
/// | a letter, a digit, any other character | that value |
/// | `'word'` | a value of several characters, or of one that has another meaning |
/// | `\|` | the signal finishes |
/// | `#` | the signal fails with ``MarbleFailure`` |
/// | `[ab\|]` | several events in one second, in this order |
///
/// Each symbol takes one second. Spaces are ignored, and nothing after the completion is sent. If a signal sends
/// exactly at the instant for which an operator waits, the signal's value comes first.
public final class Marbles: Sendable {
  /// The clock of the signals, to be passed to operators.
  public let clock = TestClock()

  /// The tokens that keep the hot signals going.
  private let tokens = Upstreams()

  /// Creates marbles with a clock of their own, at second 0.
  public init() {}

  /// Returns a signal that begins now, regardless of its subscribers.
  ///
  /// - Parameter diagram: The events to send.
  /// - Returns: A signal that lives as long as the ``Marbles``.
  public func signal(_ diagram: String) -> MarbleSignal<MarbleFailure> {
    MarbleSignal(hot: MarbleDiagram(diagram), on: clock, failure: MarbleFailure(), tokens: tokens)
  }

  /// Returns a signal that begins now and cannot fail.
  ///
  /// - Parameter diagram: The events to send; `#` means the same as `|`.
  /// - Returns: A signal that lives as long as the ``Marbles``.
  public func values(_ diagram: String) -> MarbleSignal<Never> {
    MarbleSignal(hot: MarbleDiagram(diagram), on: clock, failure: nil, tokens: tokens)
  }

  /// Returns a signal that starts from the beginning for each subscriber.
  ///
  /// - Parameter diagram: The events to send. The first second is the one of the subscription.
  /// - Returns: The signal.
  public func cold(_ diagram: String) -> MarbleSignal<MarbleFailure> {
    MarbleSignal(cold: MarbleDiagram(diagram), on: clock, failure: MarbleFailure())
  }

  /// Subscribes to a signal, advances the time, and returns a diagram of the events.
  ///
  /// The diagram begins with the current second. Events between two seconds are drawn in the earlier one.
  ///
  /// - Parameters:
  ///   - signal: The signal. Its values are drawn with `String(describing:)`.
  ///   - seconds: The number of seconds to advance. By default, time advances as long as anything is scheduled on the
  ///     clock. Pass it for a signal that never ends, such as a timer.
  /// - Returns: The diagram, without the time after the last event.
  public func diagram<Element, Failure>(
    of signal: some Signal<Element, Failure>,
    until seconds: Int? = nil
  ) -> String {
    let start = clock.now
    let events = Recorder<(second: Int, event: MarbleDiagram.Event)>()
    let record = { @Sendable [clock] (event: MarbleDiagram.Event) in
      events.record((Int(start.duration(to: clock.now).components.seconds), event))
    }
    let subscription = signal.sink(
      receiveCompletion: { completion in
        switch completion {
        case .finished: record(.finished)
        case .failure: record(.failed)
        }
      },
      receiveValue: { record(.value(String(describing: $0))) }
    )
    if let seconds {
      clock.advance(to: start.advanced(by: .seconds(seconds)))
    } else if !clock.run() {
      stop(because: "The signal still waits for the clock after 100,000 events; pass `until:` to end the diagram")
    }
    subscription.cancel()
    var diagram = MarbleDiagram()
    diagram.events = events.elements
    return diagram.text
  }
}

/// The error that `#` represents in a marble diagram.
public struct MarbleFailure: Error, Hashable {
  /// Creates the error.
  public init() {}
}
