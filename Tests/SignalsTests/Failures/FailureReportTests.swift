import CLibrary
import Signals
import SignalsTesting
import TestSupport
import Testing

private struct Broken: Error, Hashable, CustomStringConvertible {
  var description = "it is broken"
}

/// The lines about failures that a program has written.
private func lines(of result: ExitTest.Result?) throws -> [String] {
  let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
  return text.split(separator: "\n").map(String.init).filter { $0.contains("Thing") || $0.contains("more failures") }
}

@Suite("Failures that nothing observes")
struct FailureReportTests {
  @Test func `a failure is written once, in one line that says how to observe it`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      for _ in 1...3 { FailureRelay<Broken>(of: "Thing", "/somewhere/a").send(Broken()) }
      FailureRelay<Broken>(of: "Thing", "/somewhere/b").send(Broken())
      exit(EXIT_SUCCESS)
    }
    let lines = try lines(of: result)
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix("Thing /somewhere/a: it is broken (") == true)
    #expect(lines.allSatisfy { $0.contains("the failures of the Thing") && $0.contains("FailureReport.onUnobserved") })
  }

  @Test func `a subscriber of the object or of a place above it keeps the failure from being written`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let observed = FailureRelay<Broken>(of: "Thing", "/observed")
      let subscription = observed.sink { _ in }
      observed.send(Broken())
      let place = FailureLog.shared.reports { $0.subject.hasPrefix("/place") }.sink { _ in }
      FailureRelay<Broken>(of: "Thing", "/place/a").send(Broken())
      FailureRelay<Broken>(of: "Thing", "/elsewhere").send(Broken())
      subscription.cancel()
      observed.send(Broken(description: "it is still broken"))
      withExtendedLifetime((subscription, place, observed)) { FailureLog.shared.flush() }
    }
    let lines = try lines(of: result)
    #expect(lines.count == 2)
    #expect(lines.first?.contains("/elsewhere") == true)
    #expect(lines.last?.contains("it is still broken") == true)
  }

  @Test func `a subscriber that comes in time receives the failure, which is then not written`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let relay = FailureRelay<Broken>(of: "Thing", "/late", replay: 16)
      relay.send(Broken())
      let failures = relay.recorded()
      FailureRelay<Broken>(of: "Thing", "/place/a").send(Broken())
      let reports = FailureLog.shared.reports { $0.subject == "/place/a" }.recorded()
      guard failures.elements == [Broken()], reports.elements.map(\.subject) == ["/place/a"] else { exit(1) }
      FailureLog.shared.flush()
      withExtendedLifetime((relay, failures, reports)) {}
    }
    #expect(try lines(of: result).isEmpty)
  }

  @Test func `an object that passes failures on is no observer itself`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let (inner, outer) = (FailureRelay<Broken>(of: "Thing", "inner"), FailureRelay<Broken>(of: "Thing", "outer"))
      let forwarder = FailureForwarder { outer.isObserved }
      let passing = forwarder.attach { inner.map(\.self).sink { outer.deliver($0) } }
      inner.send(Broken(description: "one"))
      let failures = outer.recorded()
      inner.send(Broken(description: "two"))
      guard forwarder.isLinked, failures.elements.count == 1 else { exit(1) }
      passing.cancel()
      guard FailureForwarder.links(of: ObjectIdentifier(inner)).isEmpty else { exit(1) }
      withExtendedLifetime((failures, passing)) { FailureLog.shared.flush() }
    }
    let lines = try lines(of: result)
    #expect(lines.count == 1)
    #expect(lines.first?.hasPrefix("Thing inner: one") == true)
  }

  @Test func `one call turns the lines off, or passes the failures elsewhere`() async throws {
    let off = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      FailureReport.onUnobserved { _ in }
      FailureRelay<Broken>(of: "Thing", "/a").send(Broken())
      exit(EXIT_SUCCESS)
    }
    #expect(try lines(of: off).isEmpty)
    let elsewhere = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      FailureRelay<Broken>(of: "Thing", "/a").send(Broken())
      FailureReport.onUnobserved { report in
        // The handler may report failures, and observe others.
        _ = FailureReport.all.sink { _ in }
        let text = "elsewhere: \(report)\n"
        _ = write(STDERR_FILENO, text, text.utf8.count)
      }
      exit(EXIT_SUCCESS)
    }
    #expect(try lines(of: elsewhere) == ["elsewhere: Thing /a: it is broken"])
  }

  @Test func `a flood is written as twenty lines and the number of the others`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      for number in 1...3_000 {
        FailureRelay<Broken>(of: "Thing", "/a").send(Broken(description: "number \(number)"))
      }
      FailureLog.shared.flush()
    }
    let lines = try lines(of: result)
    #expect(lines.filter { $0.hasPrefix("Thing") }.count >= 20)
    #expect(lines.last?.contains("more failures") == true)
    #expect(lines.count < 100)
  }

  @Test func `a program whose standard error is closed goes on`() async throws {
    await #expect(processExitsWith: .success) {
      var ends: [CInt] = [0, 0]
      pipe(&ends)
      dup2(ends[1], STDERR_FILENO)
      close(ends[0])
      FailureRelay<Broken>(of: "Thing", "/a").send(Broken())
      FailureLog.shared.flush()
      close(STDERR_FILENO)
      FailureRelay<Broken>(of: "Thing", "/b").send(Broken())
      FailureLog.shared.flush()
    }
  }

  @Test func `an error of several lines is written as one, and controls no terminal`() {
    let report = FailureReport("Thing", "/a\u{1B}[31m", Broken(description: "one\ntwo\r\n\u{1B}[2Jthree\u{202E}"))
    #expect(report.description == "Thing /a [31m: one two   [2Jthree\u{FFFD}")
  }

  @Test func `observers receive all reports in one order, and a later one the last few of each subject`() async throws {
    let log = FailureLog()
    let first = log.reports { _ in true }.recorded()
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          for number in 0..<20 {
            let report = FailureReport("Thing", "\(thread)", Broken(description: "\(number)"))
            log.report(report, isObserved: true) { true }
          }
        }
      }
    }
    let last = log.reports { _ in true }.recorded()
    #expect(first.elements.count == 80)
    #expect(last.elements.count == 64)
    for thread in 0..<4 {
      let texts = { (recorder: Recorder<FailureReport>) in
        recorder.elements.filter { $0.subject == "\(thread)" }.map { "\($0.error)" }
      }
      #expect(texts(first) == (0..<20).map { "\($0)" })
      #expect(texts(last) == (4..<20).map { "\($0)" })
    }
  }
}
