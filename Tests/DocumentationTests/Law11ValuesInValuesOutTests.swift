import Testing

/// The compiler decides whether misuse is an error, so these tests run it.
@Suite("Law 11: Values in, values out", .timeLimit(.minutes(14)))
struct Law11ValuesInValuesOutTests {
  private static let mutableClass = """
    import Signals

    final class Account { var balance = 0 }

    """

  @Test(arguments: [
    ("an emitter", "let accounts = Emitter<Account, Never>()"),
    ("a property", "let account = MutableProperty(Account())"),
    (
      "a map",
      "let accounts = Emitter<Int, Never>().map { _ in Account() }"
    ),
    (
      "a sink that captures one",
      """
      func watch(_ numbers: Emitter<Int, Never>, for account: Account) -> SignalSubscription {
        numbers.sink { account.balance += $0 }
      }
      """
    ),
    (
      "a sink that captures a local variable",
      """
      @MainActor func count(_ numbers: Emitter<Int, Never>) -> SignalSubscription {
        var total = 0
        return numbers.sink { total += $0 }
      }
      """
    ),
  ])
  func `non-sendable values do not cross threads`(place: String, misuse: String) async throws {
    let outcome = try await SampleRunner.run(Self.mutableClass + misuse)
    guard case .doesNotCompile(let diagnostics) = outcome else {
      Issue.record("\(place) took a mutable class: \(outcome)")
      return
    }
    #expect(diagnostics.contains("Sendable") || diagnostics.contains("concurrently-executing code"), "\(diagnostics)")
  }

  @Test func `sendable values cross threads without a warning`() async throws {
    let program = """
      import Signals

      struct Account: Sendable { var balance = 0 }
      let account = MutableProperty(Account())
      let balances = account.map(\\.balance).removeDuplicates()
      let subscription = balances.sink { print($0) }
      account.modify { $0.balance += 5 }
      """
    guard case .ran(["0\n5\n"]) = try await SampleRunner.run(program) else {
      Issue.record("A value type was rejected")
      return
    }
  }
}
