import Dispatch
import Foundation
import Testing

/// Opens files until the process can open only a given number of further ones.
///
/// - Parameter spare: The number of files that it may still open.
/// - Returns: The descriptors to close.
public func takeDescriptors(besides spare: Int = 0) -> [CInt] {
  // On Linux, Dispatch creates its timer descriptors when the first timer is set, and never retries if it cannot.
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
/// On Linux, Dispatch checks its threads once a second and ends the process if it has no descriptor for that. On a busy
/// machine, that second may fall into the test.
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
