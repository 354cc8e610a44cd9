import AppGroups
import FileSignals
import Foundation
import Inspector
import Signals

/// An app under load, for measurements.
///
/// It replaces shared files and sends values of published signals at a steady rate.
///
/// It prints its processor time in seconds and the number of changes so far, ten times a second.
@main
enum Load {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, let files = Int(arguments[2]), let signals = Int(arguments[3]),
      let rate = Int(arguments[4])
    else {
      FileHandle.standardError.write(Data("Usage: load DIRECTORY FILES SIGNALS CHANGES-PER-SECOND\n".utf8))
      exit(64)
    }
    let directory = URL(filePath: arguments[1])
    let container = try AppGroupsContainer(directory: directory)
    let folder = directory.path + "/Files"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for number in 0..<files { try replace(number, 0, in: folder) }
    let properties = (0..<signals).map { number in
      MutableProperty(0).registered(as: "signal \(number)") { "\($0)" }
    }
    let publication = try Inspector.publish(in: container)
    defer { publication.cancel() }
    try run(folder, files, properties, rate)
  }

  /// One change of a hundred is that of a file.
  private static func run(_ folder: String, _ files: Int, _ properties: [MutableProperty<Int>], _ rate: Int) throws {
    let start = ContinuousClock.now
    var (done, report) = (0, 1.0)
    while true {
      let elapsed = start.duration(to: .now) / .seconds(1)
      if elapsed >= report {
        FileHandle.standardOutput.write(Data(String(format: "%.6f %d\n", cpu(), done).utf8))
        report = elapsed + 0.1
      }
      // At most a part of what is due, so that a slow machine still reports.
      let due = min(Int(elapsed * Double(rate)), done + rate / 100)
      while done < due {
        done += 1
        if done % 100 == 0 {
          try replace(done / 100 % files, done, in: folder)
        } else {
          properties[done % properties.count].value = done
        }
      }
      if due < Int(elapsed * Double(rate)) { continue }
      usleep(1000)
    }
  }

  /// Replaces a file without waiting for the disk, so that the load is one for the observers.
  private static func replace(_ number: Int, _ value: Int, in folder: String) throws {
    try DurableFile.write(
      Data("{\"number\": \(number), \"value\": \(value)}\n".utf8),
      to: URL(filePath: "\(folder)/\(number).json"), durability: .process)
  }

  /// The processor time of this process, in seconds.
  private static func cpu() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
