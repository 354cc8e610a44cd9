import Dispatch
import Signals

/// Runs a closure and waits for it: commands come one after the other, on a thread that has nothing else to do.
func wait(_ body: @escaping @Sendable () async throws -> Void) throws {
  let done = DispatchSemaphore(value: 0)
  let result = MutableProperty<Result<Void, any Error>>(.success(()))
  Task {
    do {
      try await body()
    } catch {
      result.value = .failure(error)
    }
    done.signal()
  }
  done.wait()
  try result.value.get()
}
