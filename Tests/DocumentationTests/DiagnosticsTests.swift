import Testing

/// Misuse must be rejected with words that lead to the right use, so these tests run the compiler.
@Suite("Compiler diagnostics", .timeLimit(.minutes(14)))
struct DiagnosticsTests {
  @Test(arguments: ["merge", "combineLatest", "zip", "concat"])
  func `a list of different signals is rejected with advice`(function: String) async throws {
    let program = """
      import Signals

      let numbers = Emitter<Int, Never>()
      let list = \(function)([numbers, numbers.map { "\\($0)" }])
      """
    let diagnostics = try await rejection(of: program)
    #expect(diagnostics.contains("need the same Element and Failure; use map, mapError or setFailureType"))
    #expect(!diagnostics.contains("failed to produce diagnostic"), "\(diagnostics)")
  }

  @Test func `an unused subscription causes a warning`() async throws {
    let program = """
      import Signals

      func listen(to numbers: Emitter<Int, Never>) {
        numbers.sink { print($0) }
      }
      """
    let diagnostics = try await rejection(of: program)
    #expect(diagnostics.contains("result of call to 'sink(_:file:line:)' is unused"), "\(diagnostics)")
  }

  @Test func `assigning to an object of the main actor is rejected with the documented words`()
    async throws
  {
    let program = """
      import Signals

      @MainActor final class Label {
        var text = ""
        func show(_ title: MutableProperty<String>) -> SignalSubscription {
          title.assign(to: \\.text, onWeak: self)
        }
      }
      """
    let diagnostics = try await rejection(of: program)
    #expect(diagnostics.contains("does not conform to the 'Sendable' protocol"), "\(diagnostics)")
  }

  /// The compiler's diagnostics for a program that it must reject.
  private func rejection(of program: String) async throws -> String {
    let outcome = try await SampleRunner.run(program)
    guard case .doesNotCompile(let diagnostics) = outcome else {
      Issue.record("The compiler accepted the program: \(outcome)")
      return ""
    }
    return diagnostics
  }
}
