/// The parts of a manager that a lookup needs, at one moment.
struct TweakEnvironment: Sendable {
  let sources: TweakSources

  /// The tables, at the same indices as the providers.
  let tables: [TweakTable]
  let decryption: TweakCipher?
  let hooks: [TweakHook]
  let log: TweakLogClosure?
  let isCaching: Bool

  /// Creates an environment.
  ///
  /// Hooks and the log are not called for their own lookups.
  init(_ state: TweakManager.State, _ sources: TweakSources, _ tables: [TweakTable], isSilent: Bool = false) {
    let isSilent = isSilent || state.calls.isCalledBack
    self.sources = sources
    self.tables = tables
    decryption = state.decryption
    isCaching = state.isCaching
    hooks = isSilent ? [] : state.hooks
    log = isSilent ? nil : state.log
  }
}

/// A lookup of one tweak.
///
/// It asks each provider at most once, and only if its answer is needed.
struct TweakLookup {
  let id: TweakID
  let environment: TweakEnvironment

  /// The lines for the log, if there is one.
  private(set) var notes: [(String, TweakLogLevel)] = []

  /// The unprocessed answers of the providers so far.
  private var answers: [TweakResolution.Answer] = []

  init(_ id: TweakID, in environment: TweakEnvironment) {
    self.id = id
    self.environment = environment
  }

  /// Asks the providers in order until nothing more can change the resolution.
  mutating func resolution(isStrict: Bool) -> TweakResolution {
    var resolution = TweakResolution(result: .failure(.notFound(id)))
    for index in environment.sources.all.indices {
      if resolution.isComplete(isStrict) { break }
      let isDecided = resolution.isDecided(isStrict)
      // After a strict decision, only the title, description and group matter, so nothing is decrypted.
      let needsValue = !isDecided || !isStrict
      if needsValue, !environment.isCaching, environment.tables[index].isUnannounced {
        resolution.isUnannounced = true
      }
      let answer = needsValue ? opened(at: index) : found(at: index)
      switch answer {
      case .success(nil):
        note(.verbose) { lookup in "\(lookup.id): \(lookup.environment.sources.all[index].name) has no value" }
      case .success(let tweak?): if needsValue { note(isDecided ? .verbose : .debug) { _ in "\(tweak)" } }
      case .failure(let error): note(.error) { _ in "\(error)" }
      }
      resolution.take(answer, isStrict)
    }
    if case .failure(.notFound) = resolution.result {
      note(.debug) { lookup in "\(lookup.id): no provider has a value" }
    }
    return resolution
  }

  /// Returns the answer of a provider, possibly encrypted.
  mutating func found(at index: Int) -> TweakResolution.Answer {
    while answers.count <= index { answers.append(ask(at: answers.count)) }
    return answers[index]
  }

  private func ask(at index: Int) -> TweakResolution.Answer {
    do throws(TweakError) {
      var tweak = try environment.tables[index].tweak(feature: id.feature, variable: id.variable)
      if tweak?.source == nil { tweak?.source = environment.sources.all[index].name }
      return .success(tweak)
    } catch {
      if case .notFound = error { return .success(nil) }
      return .failure(error)
    }
  }

  /// Returns the answer of a provider, decrypted.
  mutating func opened(at index: Int) -> TweakResolution.Answer {
    guard case .success(var tweak?) = found(at: index) else { return found(at: index) }
    let source = environment.sources.all[index]
    if !tweak.isEncrypted, !tweak.isSecret, isDeclaredSecret(below: index) {
      // Only values that the manager has set are encrypted, see `seal`.
      tweak.isSecret = true
      tweak.isEncrypted = source.mutable?.isPersistent ?? false
    }
    guard tweak.isEncrypted else { return .success(tweak) }
    guard let closure = source.provider.decryptionClosure ?? environment.decryption else {
      return .failure(.decryptionClosureNotProvided(id, provider: source.name))
    }
    do {
      tweak.value = try closure(tweak)
      tweak.isEncrypted = false
      tweak.isSecret = true
    } catch {
      return .failure(.decryptionFailed(id, provider: source.name, reason: "\(error)"))
    }
    return .success(tweak)
  }

  /// Returns whether any provider below another one declares the tweak secret.
  mutating func isDeclaredSecret(below index: Int) -> Bool {
    for index in environment.sources.all.indices[(index + 1)...] {
      switch found(at: index) {
      case .success(let tweak?) where tweak.isEncrypted || tweak.isSecret: return true
      // A nested manager that cannot decrypt the tweak gives this answer.
      case .failure(.decryptionClosureNotProvided), .failure(.decryptionFailed): return true
      default: continue
      }
    }
    return false
  }

  private mutating func note(_ level: TweakLogLevel, _ text: (TweakLookup) -> String) {
    if environment.log != nil { notes.append((text(self), level)) }
  }
}

@available(*, unavailable)
extension TweakLookup: Sendable {}

/// A question that a manager asks its providers.
enum TweakQuestion: Sendable, Hashable {
  /// The value of a tweak.
  case tweak(TweakID)

  /// The state of a feature.
  case feature(String)

  /// The name in errors.
  var id: TweakID {
    switch self {
    case .tweak(let id): id
    case .feature(let feature): TweakID(feature: feature, variable: Tweak.enabledVariable)
    }
  }
}

/// The combined answer of all providers for a tweak.
///
/// It takes the answers in the order of the providers. It calls no other code, so the same answers always result in the
/// same resolution.
struct TweakResolution: Sendable, Equatable {
  /// The answer of one provider: the tweak, `nil` if it has none, or the reason why its tweak cannot be used.
  typealias Answer = Result<Tweak?, TweakError>

  /// The effective tweak, or the reason why there is none.
  var result: Result<Tweak, TweakError>

  /// The answers of providers below, in order, for reads of a type that the first one does not have.
  var alternatives: [Tweak] = []

  /// A Boolean value that indicates whether it may change without an update, so that each read asks again.
  var isUnannounced = false

  /// Compares two resolutions, much faster than the generic comparison of results.
  static func == (first: TweakResolution, second: TweakResolution) -> Bool {
    if first.isUnannounced != second.isUnannounced { return false }
    return switch (first.result, second.result) {
    case (.success(let one), .success(let other)) where one != other: false
    case (.failure(let one), .failure(let other)) where one != other: false
    case (.success, .success), (.failure, .failure): first.alternatives == second.alternatives
    default: false
    }
  }

  /// The effective tweak.
  var tweak: Tweak? { result.tweak }

  /// Returns whether a provider has decided.
  func isDecided(_ isStrict: Bool) -> Bool {
    switch result {
    case .success: true
    case .failure(.notFound): false
    case .failure: isStrict
    }
  }

  /// Returns whether further answers change nothing.
  func isComplete(_ isStrict: Bool) -> Bool {
    guard isStrict, isDecided(isStrict) else { return false }
    guard let tweak else { return true }
    return tweak.title != nil && tweak.details != nil && tweak.group != nil
  }

  /// Adds the answer of the next provider.
  mutating func take(_ answer: Answer, _ isStrict: Bool) {
    switch answer {
    case .success(nil): return
    case .failure(let error): if case .failure(.notFound) = result { result = .failure(error) }
    case .success(let other?):
      guard isDecided(isStrict) else {
        result = .success(other)
        return
      }
      complete(with: other)
      if !isStrict { alternatives.append(other) }
    }
  }

  /// Adds the title, the description and the group that the deciding provider does not give.
  private mutating func complete(with other: Tweak) {
    guard var tweak else { return }
    let isNews =
      (tweak.title == nil && other.title != nil) || (tweak.details == nil && other.details != nil)
      || (tweak.group == nil && other.group != nil)
    guard isNews else { return }
    tweak.title = tweak.title ?? other.title
    tweak.details = tweak.details ?? other.details
    tweak.group = tweak.group ?? other.group
    result = .success(tweak)
  }
}
