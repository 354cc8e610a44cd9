import Dispatch
import Foundation
import Testing

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

/// Runs a test of a process that runs out of descriptors.
///
/// Once a second Dispatch on Linux looks what its threads are doing, and ends the process if it has no descriptor for
/// that; on a busy machine that second may be this one.
public func withoutDescriptors(_ test: () async -> Void) async {
  #if os(Linux)
    await withKnownIssue("Dispatch itself cannot do without a descriptor", isIntermittent: true) {
      await test()
    } matching: {
      "\($0)".contains("SIGILL")
    }
  #else
    await test()
  #endif
}
