import ArgumentParser
import Foundation
import Inspector
import Panel

/// The directory that a command inspects, and the form of its output.
struct Place: ParsableArguments {
  @Option(
    name: [.customShort("d"), .long], help: "The directory that the apps share; by default $SIGNALS_DIRECTORY.",
    completion: .directory)
  var directory: String?

  @Flag(help: "Print JSON instead of a table.")
  var json = false

  /// Opens the directory.
  func open(writing: Bool = false) throws -> Inspector {
    guard let path = directory ?? ProcessInfo.processInfo.environment["SIGNALS_DIRECTORY"], !path.isEmpty else {
      throw ValidationError("Give the directory with --directory, or set SIGNALS_DIRECTORY.")
    }
    return try Failure.catching { try Inspector(directory: URL(filePath: path), isWritable: writing) }
  }

  /// Returns the resource with an identifier or a name.
  ///
  /// - Parameters:
  ///   - name: An identifier such as `log/inbox`, or a name such as `inbox`.
  ///   - snapshot: The snapshot to search.
  ///   - kinds: The kinds among which to look for the name.
  /// - Returns: The resource.
  /// - Throws: ``Failure`` if no resource or several have the name.
  static func resource(
    _ name: String, in snapshot: InspectorSnapshot, _ kinds: [InspectedResource.Kind] = InspectedResource.Kind.allCases
  ) throws -> InspectedResource {
    if let resource = snapshot[name], kinds.contains(resource.kind) { return resource }
    let found = snapshot.resources.filter { kinds.contains($0.kind) && $0.name == name }
    if found.count == 1 { return found[0] }
    guard let kind = found.first else {
      throw Failure("Can't find \(name): there is no such resource. Run `signals list` to see which exist.", code: 2)
    }
    throw Failure(
      "Can't find \(name): \(found.count) resources have the name. Use an identifier, such as \(kind.id).", code: 2)
  }

  /// Prints a value as JSON.
  static func printJSON(_ value: some Encodable) throws {
    print(String(decoding: try PanelJSON.encode(value), as: UTF8.self))
  }
}

/// An error with an exit code.
struct Failure: Error {
  let message: String
  let code: Int32

  init(_ message: String, code: Int32) {
    (self.message, self.code) = (message, code)
  }

  init(_ error: any Error) {
    if let failure = error as? Failure {
      self = failure
    } else if let error = error as? InspectorError {
      let codes: [String: Int32] = ["notFound": 2, "conflict": 3, "readOnly": 4, "unanswered": 5]
      self.init(error.description, code: codes[error.code] ?? 1)
    } else {
      self.init("\(error)", code: 1)
    }
  }

  /// Runs a closure, and prints its error and ends the program if it throws one.
  static func reporting(_ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as ExitCode {
      throw error
    } catch let error as ValidationError {
      throw error
    } catch {
      let failure = Failure(error)
      FileHandle.standardError.write(Data("error: \(failure.message)\n".utf8))
      throw ExitCode(failure.code)
    }
  }

  /// Runs a closure, and turns its error into a failure.
  static func catching<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      throw Failure(error)
    }
  }
}
