#if canImport(Combine)
  import Combine
  import Signals

  // Old code gets a publisher of a signal…
  let volume = MutableProperty(5)
  let old = volume.publisher.sink { print("volume", $0) }  // volume 5

  // …and new code a signal of a publisher.
  let subject = PassthroughSubject<Int, Never>()
  let new = subject.signal.sink { print("new code got", $0) }
  subject.send(1)  // new code got 1
#endif
