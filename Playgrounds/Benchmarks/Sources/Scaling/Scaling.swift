import Foundation
import Machine

/// Measures how costs grow.
///
/// Without arguments, it prints the identifiers of all curves. With an identifier, it measures that curve and writes
/// its points as JSON into the directory that is the second argument.
@main
enum Scaling {
  static func main() {
    Role.current?.play()
    let arguments = CommandLine.arguments.dropFirst()
    guard let id = arguments.first else { return print(curves.map(\.id).joined(separator: "\n")) }
    guard let curve = curves.first(where: { $0.id == id }), let directory = arguments.dropFirst().first else {
      FileHandle.standardError.write(Data("usage: scaling [CURVE DIRECTORY]\n".utf8))
      exit(2)
    }
    keepSecondThread()
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      let file = URL(filePath: directory).appending(path: "\(id).json")
      try encoder.encode(curve.measured()).write(to: file, options: .atomic)
    } catch {
      FileHandle.standardError.write(Data("error: cannot measure \(id): \(error)\n".utf8))
      exit(1)
    }
  }
}

/// All curves, in the order of the page.
let curves: [Curve] =
  observerCurves + derivedCurves + fileCurves + processCurves + suiteCurves + logCurves + containerCurves + storeCurves

/// Starts a thread that sleeps, because glibc skips the atomic instructions of its locks in a process with one thread.
private func keepSecondThread() {
  Thread.detachNewThread { while true { Thread.sleep(forTimeInterval: 3600) } }
}
