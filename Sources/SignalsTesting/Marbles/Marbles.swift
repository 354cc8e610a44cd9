public import Signals

/// Signals as drawings, in virtual time: one character is one second.
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
/// | in a diagram | stands for |
/// |---|---|
/// | `-` | a second in which nothing happens |
/// | a letter, a digit, any other character | that value |
/// | `'word'` | a value of several characters, or of one that stands for something else |
/// | `\|` | the signal finished |
/// | `#` | the signal failed, with ``MarbleFailure`` |
/// | `[ab\|]` | several of these in one second, in this order |
///
/// Each takes one second. Spaces are for the eye, and what follows the end is never sent. If a signal sends at the very
/// moment for which an operator waits, the signal's value comes first.
public final class Marbles: Sendable {
  /// The clock of the signals; give it to operators.
  public let clock = TestClock()

  /// What keeps the hot signals going.
  private let tokens = Upstreams()

  /// Makes a world of its own, in which it is second 0.
  public init() {}

  /// Makes a signal that begins now, whoever listens.
  ///
  /// - Parameter diagram: What it sends.
  /// - Returns: A signal that lives as long as the ``Marbles`` do.
  public func signal(_ diagram: String) -> MarbleSignal<MarbleFailure> {
    MarbleSignal(hot: MarbleDiagram(diagram), on: clock, failure: MarbleFailure(), tokens: tokens)
  }

  /// Makes a signal that begins now and cannot fail.
  ///
  /// - Parameter diagram: What it sends; `#` means the same as `|`.
  /// - Returns: A signal that lives as long as the ``Marbles`` do.
  public func values(_ diagram: String) -> MarbleSignal<Never> {
    MarbleSignal(hot: MarbleDiagram(diagram), on: clock, failure: nil, tokens: tokens)
  }

  /// Makes a signal that begins anew for each subscriber.
  ///
  /// - Parameter diagram: What it sends, the first second being that in which it is subscribed to.
  /// - Returns: The signal.
  public func cold(_ diagram: String) -> MarbleSignal<MarbleFailure> {
    MarbleSignal(cold: MarbleDiagram(diagram), on: clock, failure: MarbleFailure())
  }

  /// Subscribes to a signal, lets time pass, and draws what it sent.
  ///
  /// The diagram begins with the current second. What happens between two seconds is drawn in the earlier one.
  ///
  /// - Parameters:
  ///   - signal: The signal; its values are drawn as `String(describing:)` tells them.
  ///   - seconds: How many seconds to let pass; unless given, time passes as long as anything is due on the clock.
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
    if let seconds { clock.advance(to: start.advanced(by: .seconds(seconds))) } else { clock.run() }
    subscription.cancel()
    var diagram = MarbleDiagram()
    diagram.events = events.elements
    return diagram.text
  }
}
