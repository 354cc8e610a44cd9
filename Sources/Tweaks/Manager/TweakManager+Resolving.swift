import Signals

extension TweakManager {
  /// What lookups need, at one moment.
  struct Environment {
    let providers: TweakProviders
    let decryption: TweakDecryption?
    let hooks: [TweakHook]
    let log: TweakLogClosure?
  }

  /// What a thread is asking for; only that thread looks into it.
  final class Question: @unchecked Sendable {  // Sound: see above.
    let thread = ThreadIdentity.current
    var id: TweakID?
    var isFeature = false
  }

  /// Asks the providers for some tweaks and features.
  func resolve(_ tweaks: [TweakSlot], _ features: [TweakSlot] = []) -> [TweakResolution] {
    asking { question, environment in
      var resolutions: [TweakResolution] = []
      resolutions.reserveCapacity(tweaks.count + features.count)
      for slot in tweaks { resolutions.append(resolve(slot.id, isFeature: false, question, environment)) }
      for slot in features { resolutions.append(resolve(slot.id, isFeature: true, question, environment)) }
      return resolutions
    }
  }

  /// Asks the providers.
  func resolve(_ id: TweakID, isFeature: Bool = false) -> TweakResolution {
    asking { question, environment in resolve(id, isFeature: isFeature, question, environment) }
  }

  private func asking<Result>(_ body: (Question, Environment) -> Result) -> Result {
    let question = Question()
    let environment = lock.withLock {
      state.asking.append(question)
      // Whoever is called back, and reads a tweak, is not called back for that.
      let isCalledBack = state.calling.contains(question.thread)
      return Environment(
        providers: state.providers, decryption: state.decryption, hooks: isCalledBack ? [] : state.hooks,
        log: isCalledBack ? nil : state.log
      )
    }
    defer {
      lock.withLock {
        if let index = state.asking.lastIndex(where: { $0 === question }) { state.asking.remove(at: index) }
      }
    }
    return body(question, environment)
  }

  private func resolve(
    _ id: TweakID, isFeature: Bool, _ question: Question, _ environment: Environment
  ) -> TweakResolution {
    var notes: [(String, TweakLogLevel)] = []
    defer { write(notes, to: environment.log) }
    let hooks = isFeature ? [] : environment.hooks
    if let error = callBefore(hooks, id) {
      callAfter(hooks, id, .failure(error))
      return TweakResolution(result: .failure(error))
    }
    if isAsking(for: id, isFeature: isFeature, question) {
      return TweakResolution(result: .failure(.cyclic(id, provider: name)))
    }
    question.id = id
    question.isFeature = isFeature
    let resolution =
      isFeature
      ? feature(id.feature, in: environment)
      : tweak(id, in: environment) { text, level in if environment.log != nil { notes.append((text(), level)) } }
    question.id = nil
    if !isFeature { checkMissing(resolution, id) }
    callAfter(hooks, id, resolution.result)
    return resolution
  }

  /// Whether this thread has been asking for the same already, before a provider called back.
  private func isAsking(for id: TweakID, isFeature: Bool, _ question: Question) -> Bool {
    lock.withLock {
      state.asking.contains { other in
        other !== question && other.thread == question.thread && other.isFeature == isFeature && other.id == id
      }
    }
  }

  /// The first provider that has the tweak decides.
  private func tweak(
    _ id: TweakID, in environment: Environment, note: (() -> String, TweakLogLevel) -> Void
  ) -> TweakResolution {
    var resolution: TweakResolution?
    for (index, provider) in environment.providers.all.enumerated() {
      let answer: Tweak
      do throws(TweakError) {
        guard let tweak = try ask(provider, id) else {
          note({ "\(id): \(provider.name) has none" }, .verbose)
          continue
        }
        guard resolution == nil || mismatch == .fallThrough else {
          resolution = resolution.map { complete($0, with: tweak) }
          if resolution.map(isComplete) ?? true { break }
          continue
        }
        answer = try open(tweak, of: provider, at: index, in: environment)
      } catch {
        note({ "\(error)" }, .error)
        if resolution == nil, mismatch == .strict { return TweakResolution(result: .failure(error)) }
        continue
      }
      note({ "\(answer)" }, resolution == nil ? .debug : .verbose)
      if let first = resolution {
        resolution = complete(first, with: answer)
        resolution?.alternatives.append(answer)
      } else {
        resolution = TweakResolution(result: .success(answer))
        if isComplete(TweakResolution(result: .success(answer))), mismatch == .strict { break }
      }
    }
    if resolution == nil { note({ "\(id): no provider has it" }, .debug) }
    return resolution ?? TweakResolution(result: .failure(.notFound(id)))
  }

  private func feature(_ feature: String, in environment: Environment) -> TweakResolution {
    for provider in environment.providers.all {
      guard let isEnabled = provider.featureState(feature) else { continue }
      let tweak = Tweak(feature: feature, variable: "", value: .bool(isEnabled), source: provider.name)
      return TweakResolution(result: .success(tweak))
    }
    return TweakResolution(result: .failure(.notFound(TweakID(feature: feature, variable: ""))))
  }

  /// What a provider has; that it has not found it is no error.
  func ask(_ provider: any TweakProvider, _ id: TweakID) throws(TweakError) -> Tweak? {
    do throws(TweakError) {
      var tweak = try provider.tweak(feature: id.feature, variable: id.variable)
      if tweak?.source == nil { tweak?.source = provider.name }
      return tweak
    } catch {
      if case .notFound = error { return nil }
      throw error
    }
  }

  /// Decrypts a tweak, if it is encrypted.
  func open(
    _ tweak: Tweak, of provider: any TweakProvider, at index: Int, in environment: Environment
  ) throws(TweakError) -> Tweak {
    var tweak = tweak
    if !tweak.isEncrypted, !tweak.isSecret, isDeclaredSecret(tweak.id, below: index, in: environment.providers) {
      tweak.isSecret = true
      // It was encrypted when it was set.
      if environment.providers.mutable[index]?.isPersistent ?? false { tweak.isEncrypted = true }
    }
    guard tweak.isEncrypted else { return tweak }
    guard let closure = provider.decryptionClosure ?? environment.decryption else {
      throw .decryptionClosureNotProvided(tweak.id, provider: provider.name)
    }
    do {
      tweak.value = try closure(tweak)
    } catch {
      throw .decryptionFailed(tweak.id, provider: provider.name, reason: "\(error)")
    }
    tweak.isEncrypted = false
    tweak.isSecret = true
    return tweak
  }

  /// Whether a provider below another says that the value is encrypted.
  func isDeclaredSecret(_ id: TweakID, below index: Int, in providers: TweakProviders) -> Bool {
    guard providers.mutable[index] != nil else { return false }
    for provider in providers.all[(index + 1)...] {
      do {
        if let tweak = try ask(provider, id) { return tweak.isEncrypted || tweak.isSecret }
      } catch {
        continue
      }
    }
    return false
  }

  private func isComplete(_ resolution: TweakResolution) -> Bool {
    guard let tweak = resolution.tweak else { return false }
    return tweak.title != nil && tweak.desc != nil && tweak.group != nil
  }

  /// Takes what is said about a tweak from a provider below the one that decides.
  private func complete(_ resolution: TweakResolution, with other: Tweak) -> TweakResolution {
    guard var tweak = resolution.tweak else { return resolution }
    tweak.title = tweak.title ?? other.title
    tweak.desc = tweak.desc ?? other.desc
    tweak.group = tweak.group ?? other.group
    return TweakResolution(result: .success(tweak), alternatives: resolution.alternatives)
  }

  // MARK: Calling back

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

  func write(_ notes: [(String, TweakLogLevel)], to log: TweakLogClosure?) {
    guard let log, !notes.isEmpty else { return }
    callingBack {
      for (text, level) in notes { log(text, level) }
    }
  }

  private func callingBack<Result>(_ body: () -> Result) -> Result {
    let thread = ThreadIdentity.current
    lock.withLock { state.calling.append(thread) }
    defer {
      lock.withLock {
        if let index = state.calling.lastIndex(of: thread) { state.calling.remove(at: index) }
      }
    }
    return body()
  }

  // MARK: Failures

  /// Tells of a failure by ``failures`` and the log.
  func report(_ error: TweakError) {
    let thread = ThreadIdentity.current
    let log = lock.withLock { state.calling.contains(thread) ? nil : state.log }
    write([("\(error)", .error)], to: log)
    failureEmitter.send(error)
  }

  private func checkMissing(_ resolution: TweakResolution, _ id: TweakID) {
    guard missing == .reported, case .failure(.notFound) = resolution.result else { return }
    if lock.withLock({ state.reportedMissing.insert(id).inserted }) { report(.notFound(id)) }
  }
}

@available(*, unavailable)
extension TweakManager.Environment: Sendable {}
