import Dispatch
import Foundation

/// Opens as many files as the process may have open, so that it can open no other.
///
/// - Parameter spare: How many it may still open.
/// - Returns: What to close.
public func takeDescriptors(besides spare: Int = 0) -> [CInt] {
  // On Linux, Dispatch makes what its timers take when the first one is set, and never again if it cannot.
  let isOver = DispatchSemaphore(value: 0)
  DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { isOver.signal() }
  isOver.wait()
  var taken: [CInt] = []
  while taken.count < 100_000 {
    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { break }
    taken.append(descriptor)
  }
  for descriptor in taken.suffix(spare) { close(descriptor) }
  return taken.dropLast(spare)
}
