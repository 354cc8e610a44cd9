package import FileSignals
package import Foundation

/// A shared file that this process has open, as a tool sees it that edits the content for a person.
package protocol OpenFile: Suspendable {
  /// The location of the file.
  var url: URL { get }

  /// The name of the type of the value; `nil` if the content is not JSON that the type decodes.
  var typeOfJSON: String? { get }

  /// Replaces the content by another one that represents a value of the same type, in an update.
  ///
  /// - Parameters:
  ///   - change: Receives the stored content, and returns the new one. The lock of the file is held.
  ///   - check: Receives the content that is about to be stored, which is the decoded value as the format encodes it.
  /// - Returns: The stored content.
  /// - Throws: The error of a closure or of the update; then nothing has changed.
  @available(*, noasync)
  func edit(_ change: (Data) throws -> Data, check: (Data) throws -> Void) throws -> Data
}

extension SharedFileEngine: OpenFile {
  package var url: URL { location.url }

  package var typeOfJSON: String? { format.isJSON ? "\(Value.self)" : nil }

  @available(*, noasync)
  package func edit(_ change: (Data) throws -> Data, check: (Data) throws -> Void) throws -> Data {
    try update(overwriting: false) { value in
      value = try format.decoded(change(content(of: value)), from: url)
      let content = try encoded(value)
      try check(content)
      return content
    }.get()
  }

  /// Returns the content of the locked file, with the changes in its journal.
  private func content(of value: Value) throws -> Data {
    guard let journaling else { return try location.read(limit: maximumSize) }
    var whole = value
    journaling.rebase(&whole)
    return try format.encode(whole)
  }
}
