import Signals

extension TweakManager {
  /// Asks the providers, regardless of stored answers.
  ///
  /// - Parameters:
  ///   - question: The question.
  ///   - known: The result if this thread is already asking the question, when a provider calls back.
  /// - Returns: The answer.
  func askNow(_ question: TweakQuestion, otherwise known: TweakResolution? = nil) -> TweakResolution {
    ask([question], in: withTables { TweakEnvironment($0, $0.sources, $1) })[0] ?? known ?? cyclic(question)
  }

  /// Returns the resolution for a provider that asks for the tweak that it is being asked for.
  func cyclic(_ question: TweakQuestion) -> TweakResolution {
    TweakResolution(result: .failure(.cyclic(question.id, provider: name)))
  }

  /// Asks the providers.
  ///
  /// - Returns: A resolution for each question, or `nil` for a question that this thread is already asking, when a
  ///   provider calls back.
  func ask(_ questions: [TweakQuestion], in environment: TweakEnvironment) -> [TweakResolution?] {
    questions.map { question in
      guard state.withLock({ $0.calls.begin(question) }) else { return nil }
      defer { state.withLock { $0.calls.end(question) } }
      return switch question {
      case .tweak(let id): resolve(id, in: environment)
      case .feature(let feature): resolve(feature, in: environment)
      }
    }
  }

  private func resolve(_ id: TweakID, in environment: TweakEnvironment) -> TweakResolution {
    if let error = callBefore(environment.hooks, id) {
      callAfter(environment.hooks, id, .failure(error))
      return TweakResolution(result: .failure(error))
    }
    var lookup = TweakLookup(id, in: environment)
    let resolution = lookup.resolution(isStrict: isStrict)
    checkMissing(resolution, id)
    callAfter(environment.hooks, id, resolution.result)
    write(lookup.notes, to: environment.log)
    return resolution
  }

  // MARK: Callbacks

  private func callBefore(_ hooks: [TweakHook], _ id: TweakID) -> TweakError? {
    guard !hooks.isEmpty else { return nil }
    return callingBack {
      do {
        for hook in hooks { try hook.before?(id) }
        return nil
      } catch {
        return .hookFailed(id, reason: "\(error)")
      }
    }
  }

  private func callAfter(_ hooks: [TweakHook], _ id: TweakID, _ result: Result<Tweak, TweakError>) {
    guard !hooks.isEmpty else { return }
    callingBack {
      for hook in hooks.reversed() {
        switch result {
        case .success(let tweak): hook.after?(tweak)
        case .failure(let error): hook.error?(id, error)
        }
      }
      for hook in hooks.reversed() { hook.finally?(id) }
    }
  }

  private func write(_ notes: [(String, TweakLogLevel)], to log: TweakLogClosure?) {
    guard let log, !notes.isEmpty else { return }
    callingBack {
      for (text, level) in notes { log(text, level) }
    }
  }

  private func callingBack<Result>(_ body: () -> Result) -> Result {
    state.withLock { $0.calls.beginCallback() }
    defer { state.withLock { $0.calls.endCallback() } }
    return body()
  }

  // MARK: Failures

  /// Reports a failure to ``failures`` and the log.
  ///
  /// - Parameters:
  ///   - error: The failure.
  ///   - isReported: A Boolean value that indicates whether a provider has reported it to the program.
  func report(_ error: TweakError, isReported: Bool = false) {
    let log = state.withLock { $0.calls.isCalledBack ? nil : $0.log }
    write([("\(error)", .error)], to: log)
    failureQueue.send(error, isReported: isReported, isLogged: log != nil)
  }

  /// A Boolean value that indicates whether a subscriber or the log receives failures.
  var areFailuresObserved: Bool { failureQueue.relay.isObserved || state.withLock { $0.log != nil } }

  /// Stops a debug build that reads a tweak or a feature that the app does not declare.
  func checkDeclared(_ question: TweakQuestion) {
    guard let declarations, !declarations.table.value.declares(question) else { return }
    stop(
      because: "\(question.id) is read, but \(declarations.name) does not declare it. Add it there, or correct its name"
    )
  }

  /// Reports once that no provider has a tweak, if this is requested.
  func checkMissing(_ resolution: TweakResolution, _ id: TweakID) {
    guard reportsMissing, case .failure(.notFound) = resolution.result else { return }
    if state.withLock({ $0.reportedMissing.insert(id).inserted }) { report(.notFound(id)) }
  }
}

extension TweakTable {
  /// Returns whether the table has a tweak or a feature, usable or not.
  fileprivate func declares(_ question: TweakQuestion) -> Bool {
    do throws(TweakError) {
      return switch question {
      case .tweak(let id): try tweak(feature: id.feature, variable: id.variable) != nil
      case .feature(let feature): try featureState(feature) != nil
      }
    } catch {
      if case .notFound = error { return false }
      return true
    }
  }
}
