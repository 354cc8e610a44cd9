import Foundation
import Inspector
import Logging
import ServiceLifecycle
import SignalsKit
import SignalsLifecycle
import SignalsLogging
import SignalsMetrics
import UnixSignals

/// The settings that all processes share.
struct LetterSettings: Codable, Sendable {
  var level = Logger.Level.info
}

/// A letter that was written.
struct Letter: StoreModel {
  static let table = TableSpec("letter")
  var id: Int64
  var text: String
}

let arguments = CommandLine.arguments.dropFirst()
guard let path = arguments.first else {
  print("usage: letters DIRECTORY [level LEVEL | write NAME]")
  exit(EX_USAGE)
}

let container = try AppGroupsContainer(directory: URL(filePath: path))
let settings = try AppGroupsFile(name: "letters.json", initialValue: LetterSettings(), container: container)
let database = try Database(
  .file(container.containerURL.appending(path: "letters.sqlite")), schema: Schema(version: 1, models: [Letter.self]))
let letters = WorkQueue<String>("letters", in: database)

switch arguments.dropFirst().first {
case "level":
  guard let level = Logger.Level(rawValue: arguments.last ?? "") else { exit(EX_USAGE) }
  try settings.update { $0.level = level }
  exit(0)
case "write":
  try letters.add(arguments.last ?? "")
  exit(0)
default:
  break
}

LoggingSystem.bootstrap { label in
  SharedLevelLogHandler(StreamLogHandler.standardError(label: label), level: settings.lens(\.level))
}
let logger = Logger(label: "letters")
let failures = container.failures.sink { $0.log(to: logger) }

let inspector = try Inspector(directory: container.containerURL)
let metrics = inspector.reportMetrics()

let worker = WorkerService(letters, upTo: 2, grace: .seconds(10)) { letter in
  logger.debug("letter \(letter.id) begins")
  try await Task.sleep(for: .milliseconds(500))
  try await letter.finish { transaction in
    try transaction.put(Letter(id: letter.id, text: "Dear \(letter.value),"))
  }
  logger.info("letter \(letter.id) is written")
}

let group = ServiceGroup(
  configuration: ServiceGroupConfiguration(
    services: [
      .init(service: ContainerService(container)),
      .init(service: worker, failureTerminationBehavior: .gracefullyShutdownGroup),
    ],
    gracefulShutdownSignals: [.sigterm, .sigint],
    logger: logger
  ))
try await group.run()
logger.info("suspended: \(container.isSuspended)")
