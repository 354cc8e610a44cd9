import Foundation
import Logging
import SignalsKit
import SignalsLogging
import Testing

@Suite("Failures and levels in logs", .timeLimit(.minutes(1)))
struct LoggingTests {
  private let place: Place
  private let handler = RecordingLogHandler()

  init() throws {
    place = try Place()
  }

  private func logger(level: some PropertyConvertible<Logger.Level>) -> Logger {
    Logger(label: "test") { [handler] _ in SharedLevelLogHandler(handler, level: level) }
  }

  @Test
  func `a failure in the container is a line that names what it concerns`() throws {
    let logger = Logger(label: "test") { [handler] _ in handler }
    let failures = place.container.failures.sink { $0.log(to: logger, level: .warning) }
    let suite = try AppGroupsSuite(name: "settings.json", container: place.container)
    try suite.set("loud", forKey: "volume")
    #expect(suite.preference("volume", default: 5).value == 5)
    failures.cancel()
    let entry = try #require(handler.entries.first)
    #expect(handler.entries.count == 1)
    #expect(entry.level == .warning)
    #expect(entry.message.contains("volume"))
    #expect(entry.metadata["source"] == "AppGroupsSuite")
    #expect(entry.metadata["subject"] == "\(suite.url.path)")
    #expect(entry.metadata["error.type"] == "AppGroups.AppGroupsFileError")
  }

  @Test
  func `a path with a line break cannot forge a line`() throws {
    let logger = Logger(label: "test") { [handler] _ in handler }
    let container = try AppGroupsContainer(directory: place.url.appending(path: "a\nerror: b"))
    let failures = container.failures.sink { $0.log(to: logger) }
    let suite = try AppGroupsSuite(name: "settings.json", container: container)
    try suite.set("loud", forKey: "volume")
    #expect(suite.preference("volume", default: 5).value == 5)
    failures.cancel()
    let entry = try #require(handler.entries.first)
    #expect(!"\(entry.message) \(entry.metadata)".contains("\n"))
  }

  @Test
  func `a failure that nothing observes reaches the logger once`() async throws {
    let logger = Logger(label: "test") { [handler] _ in handler }
    FailureReport.onUnobserved { $0.log(to: logger) }
    let suite = try AppGroupsSuite(name: "settings.json", container: place.container)
    try await suite.set("loud", forKey: "volume")
    for _ in 1...3 { #expect(suite.preference("volume", default: 5).value == 5) }
    let isMeant = { (entry: RecordingLogHandler.Entry) in entry.metadata["subject"] == "\(suite.url.path)" }
    for await entries in handler.recorded.values where entries.contains(where: isMeant) { break }
    #expect(handler.entries.count(where: isMeant) == 1)
  }

  @Test
  func `a level that another process sets is the level of all loggers`() async throws {
    let settings = try place.file("letters.json", LetterSettings())
    let (first, second) = (logger(level: settings.lens(\.level)), logger(level: settings.lens(\.level)))
    first.debug("too early")
    #expect(try await LettersProcess(place.url.path, "level", "debug").end() == 0)
    for await settings in settings.values where settings.level == .debug { break }
    first.debug("one")
    second.debug("two")
    first.trace("too fine")
    #expect(handler.entries.map(\.message) == ["one", "two"])
  }

  @Test
  func `a logger can have a level of its own`() throws {
    let settings = try place.file("letters.json", LetterSettings())
    let (others, one) = (logger(level: settings.lens(\.level)), logger(level: settings.lens(\.level)))
    var own = one
    own.logLevel = .error
    try settings.update { $0.level = .trace }
    own.info("not this")
    one.trace("this")
    others.trace("and this")
    #expect(handler.entries.map(\.message) == ["this", "and this"])
    #expect(own.logLevel == .error)
  }

  @Test
  func `a wrong level in the file keeps the last one, and is a line itself`() async throws {
    let settings = try place.file("letters.json", LetterSettings())
    let logger = logger(level: settings.lens(\.level))
    let failures = place.container.failures.sink { $0.log(to: logger) }
    try await settings.update { $0.level = .debug }
    try Data(#"{"level":"loud"}"#.utf8).write(to: settings.url, options: .atomic)
    for await _ in place.container.failures.values { break }
    #expect(logger.logLevel == .debug)
    #expect(handler.entries.contains { $0.level == .error && $0.metadata["subject"] == "\(settings.url.path)" })
    failures.cancel()
  }

  @Test
  func `metadata of a logger reaches the wrapped handler`() throws {
    let level = MutableProperty(Logger.Level.info)
    var logger = logger(level: level)
    logger[metadataKey: "request"] = "7"
    logger.info("here")
    level.value = .error
    logger.info("not here")
    #expect(handler.entries.map(\.metadata) == [["request": "7"]])
  }
}
