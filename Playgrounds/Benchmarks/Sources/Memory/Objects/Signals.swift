import Observation
import OpenCombine
import Signals

/// The objects that live in one process.
let signalObjects = [
  MeasuredObject(
    "subscription to one source",
    ours: { count in
      let source = Emitter<Int, Never>()
      return Kept((source, (0..<count).map { _ in source.sink { _ in } }))
    },
    beside: .init("OpenCombine") { count in
      let source = PassthroughSubject<Int, Never>()
      return Kept((source, (0..<count).map { _ in source.sink { _ in } }))
    }),
  MeasuredObject(
    "property of a number",
    ours: { count in Kept((0..<count).map { MutableProperty($0) }) },
    beside: .init("OpenCombine") { count in Kept((0..<count).map { CurrentValueSubject<Int, Never>($0) }) }),
  MeasuredObject(
    "property with a subscription",
    ours: { count in Kept((0..<count).map { MutableProperty($0).sinkKept() }) },
    beside: .init("OpenCombine") { count in
      Kept(
        (0..<count).map { number in
          let subject = CurrentValueSubject<Int, Never>(number)
          return (subject, subject.sink { _ in })
        })
    }),
  MeasuredObject(
    "value derived from a property, observed",
    ours: { count in
      Kept(
        (0..<count).map { number in
          let property = MutableProperty(number)
          return (property, Property.derived(property) { $0 + 1 }.sink { _ in })
        })
    },
    beside: .init("Observation") { count in
      Kept(
        (0..<count).map { number in
          let model = Model(number)
          withObservationTracking {
            _ = model.number + 1
          } onChange: {
          }
          return model
        })
    }),
]

/// Objects that are kept while memory is measured, whether or not they may be used by several threads.
final class Kept<Objects>: @unchecked Sendable {  // Sound: the objects are only released.
  let objects: Objects

  init(_ objects: Objects) { self.objects = objects }
}

extension MutableProperty<Int> {
  /// The property and a subscription to it.
  fileprivate func sinkKept() -> (MutableProperty<Int>, SignalSubscription) { (self, sink { _ in }) }
}

@Observable private final class Model {
  var number: Int

  init(_ number: Int) { self.number = number }
}
