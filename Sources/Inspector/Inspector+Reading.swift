import AppGroups
public import Foundation
import Stores

/// An event of a log.
public struct InspectedEvent: Sendable, Hashable, Encodable, Identifiable {
  /// The producer and the sequence, separated by a colon.
  public var id: String
  /// The producer.
  public var producer: String
  /// The identifier of the ``InspectedProcess``, if the producer still appends.
  public var process: String?
  /// The sequence, as a decimal number.
  public var sequence: String
  /// The time.
  public var at: Date
  /// The size of the event.
  public var bytes: Int
  /// The event without its redacted parts; `nil` if it is not JSON or too large.
  public var value: InspectedValue?
  /// The places of the redacted parts, as JSON pointers.
  package var redacted: [String]?
  /// `true` if the event is too large; otherwise `nil`.
  package var truncated: Bool?
}

/// A page of the rows of a table.
public struct InspectedRows: Sendable, Hashable, Encodable {
  /// The identifier of the database.
  package var resource: String
  /// The table.
  package var table: String
  /// The names of the columns.
  public var columns: [String]
  /// The names of the columns of the key.
  package var keys: [String]
  /// The rows without their redacted values.
  public var rows: [[InspectedValue]]
  /// The position of the next page; `nil` after the last one.
  public var next: String?

  private enum CodingKeys: String, CodingKey {
    case table, columns, keys, rows, next
    case resource = "r"
  }
}

extension Inspector {
  /// Returns a resource with its value, of whatever size, without the redacted parts.
  ///
  /// A snapshot leaves out values of more than 16 KiB of JSON.
  ///
  /// - Parameter id: The identifier of the resource.
  /// - Returns: The resource. Its value is `nil` if it is not JSON, too large to be read, or a secret.
  /// - Throws: ``InspectorError`` if there is no such resource.
  public func resource(_ id: String) async throws -> InspectedResource {
    try await engine.withState { state in
      guard var resource = state.resources[id] else { throw InspectorError.notFound(id) }
      guard let value = state.values[id] else { return resource }
      (resource.value, resource.truncated) = (value, nil)
      return resource
    }
  }

  /// Returns the last events of a log.
  ///
  /// - Parameters:
  ///   - id: The identifier of the log.
  ///   - limit: The largest number of events, at most 10,000.
  /// - Returns: The events, the oldest first.
  /// - Throws: ``InspectorError`` if there is no such log.
  /// - Complexity: O(*n*) in the size of the last segments.
  public func events(of id: String, limit: Int = 100) async throws -> [InspectedEvent] {
    try await engine.withState { [redaction = engine.redaction] state in
      guard let resource = state.resources[id], let path = resource.path, let log = state.logs[path],
        case .log(let details) = resource.typedDetails
      else { throw InspectorError.notFound(id) }
      let processes = Dictionary(details.producers.map { ($0.id, $0.process) }) { $1 }
      return try log.entries(limit: min(max(1, limit), 10_000)).map { entry in
        let producer = entry.producer.uuidString.lowercased()
        var event = InspectedEvent(
          id: "\(producer):\(entry.sequence)", producer: producer, process: processes[producer] ?? nil,
          sequence: "\(entry.sequence)", at: entry.date, bytes: entry.payload.count)
        event.setValue(entry.payload, redaction)
        return event
      }
    }
  }

  /// Returns a page of the rows of a table, in the order of its key.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - id: The identifier of the database.
  ///   - position: The position that the preceding page returned, or `nil` for the first page.
  ///   - limit: The largest number of rows.
  /// - Returns: The rows.
  /// - Throws: ``InspectorError`` if there is no such table, or an error of the database.
  public func rows(
    of table: String, in id: String, after position: String? = nil, limit: Int = 100
  ) async throws -> InspectedRows {
    try await engine.withState { [redaction = engine.redaction] state in
      guard let path = state.resources[id]?.path, state.databases[path] != nil else {
        throw InspectorError.notFound(id)
      }
      let offset = max(0, position.flatMap(Int.init) ?? 0)
      let limit = min(max(1, limit), 1000)
      guard let page = try DatabaseInspection.rows(state.url(path), table: table, offset: offset, limit: limit) else {
        throw InspectorError.notFound("the table \(table) of \(id)")
      }
      let hidden = page.columns.map { redaction.hides($0) }
      let rows = page.rows.map { row in
        zip(row, hidden).map { value, isHidden in
          isHidden && !value.isNull ? InspectedValue.redacted : InspectedValue(value, redaction)
        }
      }
      return InspectedRows(
        resource: id, table: table, columns: page.columns, keys: page.keys, rows: rows,
        next: page.hasMore ? "\(offset.addingReportingOverflow(limit).partialValue)" : nil)
    }
  }
}

extension InspectedEvent {
  fileprivate mutating func setValue(_ payload: Data, _ redaction: InspectorRedaction) {
    do {
      let (shown, places) = redaction.apply(to: try InspectedValue.parse(payload))
      redacted = places.isEmpty ? nil : places
      let isLarge = shown.isLarger(than: InspectedResource.valueLimit)
      (value, truncated) = (isLarge ? nil : shown, isLarge ? true : nil)
    } catch {
      // An event in another format has no value to show.
    }
  }
}

extension InspectedValue {
  /// Creates the value of a column; JSON in a text is redacted like any other.
  fileprivate init(_ value: SQLiteValue, _ redaction: InspectorRedaction) {
    switch value {
    case .null: self = .null
    case .integer(let number): self = .integer(Int(number))
    case .real(let number): self.init(number)
    case .blob(let bytes): self = .object(["$blob": .integer(bytes.count)])
    case .text(let text):
      self = .string(text)
      // White space or a byte order mark may precede JSON.
      let content = text.unicodeScalars.drop { $0.properties.isWhitespace || $0 == "\u{FEFF}" }
      guard let first = content.first, first == "{" || first == "[" else { return }
      do {
        let (shown, places) = redaction.apply(to: try InspectedValue.parse(Data(String(content).utf8)))
        if !places.isEmpty { self = .string(shown.text) }
      } catch {
        // It is not JSON, or is too deep, or has a name twice: its hidden parts cannot be told from the others.
        let names = text.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "-" }
        if names.contains(where: { redaction.hides(String($0)) }) { self = .redacted }
      }
    }
  }
}
