import AsyncAlgorithms
import Benchmark
import Signals

/// Asynchronous loops, ours beside the standard library's.
func registerSequences() {
  registerDrain()
  registerProducer()
  registerLockStep()
  registerAsyncFanOut()
}

private func registerDrain() {
  measureTimed("drain", "Signals") {
    { count, stopwatch in
      let iterator = filledSignal(count)
      stopwatch.startMeasurement()
      let sum = await drain(iterator)
      stopwatch.stopMeasurement()
      precondition(sum == count * (count - 1) / 2)
    }
  }
  measureTimed("drain", "AsyncStream") {
    { count, stopwatch in
      let iterator = filledStream(count)
      stopwatch.startMeasurement()
      let sum = await drain(iterator)
      stopwatch.stopMeasurement()
      precondition(sum == count * (count - 1) / 2)
    }
  }
  measureTimed("drainMain", "Signals") {
    { @MainActor count, stopwatch in
      let iterator = filledSignal(count)
      stopwatch.startMeasurement()
      let sum = await drain(iterator)
      stopwatch.stopMeasurement()
      precondition(sum == count * (count - 1) / 2)
    }
  }
  measureTimed("drainMain", "AsyncStream") {
    { @MainActor count, stopwatch in
      let iterator = filledStream(count)
      stopwatch.startMeasurement()
      let sum = await drain(iterator)
      stopwatch.stopMeasurement()
      precondition(sum == count * (count - 1) / 2)
    }
  }
}

/// An iterator whose buffer holds the numbers up to a count, and then the end.
private func filledSignal(_ count: Int) -> SignalValues<Source>.Iterator {
  let source = Source()
  let iterator = source.values.makeAsyncIterator()
  for value in 0..<count { source.send(value) }
  source.finish()
  return iterator
}

private func filledStream(_ count: Int) -> AsyncStream<Int>.Iterator {
  let (stream, continuation) = AsyncStream<Int>.makeStream()
  for value in 0..<count { continuation.yield(value) }
  continuation.finish()
  return stream.makeAsyncIterator()
}

/// What `for await` does, from an iterator that is there already; it stays on the caller's actor.
@inline(__always)
private func drain<Values: AsyncIteratorProtocol<Int, Never>>(_ values: consuming Values) async -> Int {
  var sum = 0
  while let value = await values.next(isolation: #isolation) { sum &+= value }
  return sum
}

private func registerProducer() {
  measureTimed("producer", "Signals") {
    { count, stopwatch in
      let source = Source()
      let values = source.values
      let iterator = Handover(values.makeAsyncIterator())
      stopwatch.startMeasurement()
      let consumer = Task.detached { await drain(iterator.value) }
      let producer = Task.detached {
        for value in 0..<count { source.send(value) }
        source.finish()
      }
      await producer.value
      _ = await consumer.value
      stopwatch.stopMeasurement()
    }
  }
  registerChannel()
  measureTimed("producer", "AsyncStream") {
    { count, stopwatch in
      let (stream, continuation) = AsyncStream<Int>.makeStream()
      stopwatch.startMeasurement()
      let consumer = Task.detached { await drain(stream.makeAsyncIterator()) }
      let producer = Task.detached {
        for value in 0..<count { continuation.yield(value) }
        continuation.finish()
      }
      await producer.value
      _ = await consumer.value
      stopwatch.stopMeasurement()
    }
  }
}

private func registerChannel() {
  measureTimed("producer", "MPSC channel") {
    { count, stopwatch in
      do {
        try await passThroughChannel(count, stopwatch)
      } catch {
        stopwatch.error("The channel would not take a value: \(error)")
      }
    }
  }
}

/// A channel of swift-async-algorithms, with the watermarks that served it best.
private func passThroughChannel(_ count: Int, _ stopwatch: Benchmark) async throws {
  var made = MultiProducerSingleConsumerAsyncChannel.makeChannel(
    of: Int.self, throwing: Never.self, backpressureStrategy: .watermark(low: 256, high: 1_024)
  )
  let values = made.takeChannel().elements()
  var source = consume made.source
  stopwatch.startMeasurement()
  let consumer = Task.detached {
    var sum = 0
    for await value in values { sum &+= value }
    return sum
  }
  for value in 0..<count { try await source.send(value) }
  source.finish()
  _ = await consumer.value
  stopwatch.stopMeasurement()
}

/// Carries an iterator into the one task that uses it.
private struct Handover<Value>: @unchecked Sendable {  // Sound: who makes it does not use the value any more.
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}

/// One value at a time: the sender waits until the loop has it.
private func registerLockStep() {
  measureTimed("lockStep", "Signals") {
    { count, stopwatch in
      let source = Source()
      let reply = Source()
      let values = Handover(source.values.makeAsyncIterator())
      var replies = reply.values.makeAsyncIterator()
      let consumer = Task.detached {
        var values = values.value
        while let value = await values.next(isolation: nil) { reply.send(value) }
      }
      stopwatch.startMeasurement()
      for value in 0..<count {
        source.send(value)
        _ = await replies.next(isolation: nil)
      }
      stopwatch.stopMeasurement()
      source.finish()
      await consumer.value
    }
  }
  measureTimed("lockStep", "AsyncStream") {
    { count, stopwatch in
      let (stream, continuation) = AsyncStream<Int>.makeStream()
      let (replyStream, replyContinuation) = AsyncStream<Int>.makeStream()
      var replies = replyStream.makeAsyncIterator()
      let consumer = Task.detached {
        var values = stream.makeAsyncIterator()
        while let value = await values.next(isolation: nil) { replyContinuation.yield(value) }
      }
      stopwatch.startMeasurement()
      for value in 0..<count {
        continuation.yield(value)
        _ = await replies.next(isolation: nil)
      }
      stopwatch.stopMeasurement()
      continuation.finish()
      await consumer.value
    }
  }
}

/// A hundred loops that each get every value; a stream has one consumer, so a hundred streams are fed.
private func registerAsyncFanOut() {
  let consumers = 100
  measureTimed("asyncFanOut100", "Signals") {
    { count, stopwatch in
      let source = Source()
      let iterators = (0..<consumers).map { _ in Handover(source.values.makeAsyncIterator()) }
      stopwatch.startMeasurement()
      await withTaskGroup(of: Int.self) { group in
        for iterator in iterators { group.addTask { await drain(iterator.value) } }
        for value in 0..<count { source.send(value) }
        source.finish()
      }
      stopwatch.stopMeasurement()
    }
  }
  measureTimed("asyncFanOut100", "AsyncStream") {
    { count, stopwatch in
      let streams = (0..<consumers).map { _ in AsyncStream<Int>.makeStream() }
      stopwatch.startMeasurement()
      await withTaskGroup(of: Int.self) { group in
        for (stream, _) in streams { group.addTask { await drain(stream.makeAsyncIterator()) } }
        for value in 0..<count {
          for (_, continuation) in streams { continuation.yield(value) }
        }
        for (_, continuation) in streams { continuation.finish() }
      }
      stopwatch.stopMeasurement()
    }
  }
}
