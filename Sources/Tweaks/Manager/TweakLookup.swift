/// The parts of a manager that a lookup needs, at one moment.
struct TweakEnvironment: Sendable {
  let providers: TweakProviders

  /// The tables, at the same indices as the providers.
  let tables: [TweakTable]
  let generation: Int
  let decryption: TweakDecryption?
  let hooks: [TweakHook]
  let log: TweakLogClosure?

  /// Creates an environment.
  ///
  /// Hooks and the log are not called for their own lookups.
  init(_ state: TweakManager.State, _ tables: [TweakTable], isSilent: Bool = false) {
    let isSilent = isSilent || state.calls.isCalledBack
    self.tables = tables
    providers = state.providers
    generation = state.generation
    decryption = state.decryption
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
  private var answers: [Result<Tweak?, TweakError>] = []

  init(_ id: TweakID, in environment: TweakEnvironment) {
    self.id = id
    self.environment = environment
  }

  /// Asks the providers in order until nothing more can change the resolution.
  mutating func resolution(mismatch: TweakMismatch) -> TweakResolution {
    var resolver = TweakResolver(id, mismatch: mismatch)
    for index in environment.providers.all.indices {
      if resolver.isComplete { break }
      let isDecided = resolver.isDecided
      let answer = resolver.needsValue ? opened(at: index) : found(at: index)
      switch answer {
      case .absent:
        note(.verbose) { lookup in "\(lookup.id): \(lookup.environment.providers.all[index].name) has no value" }
      case .tweak(let tweak):
        if resolver.needsValue { note(isDecided ? .verbose : .debug) { _ in "\(tweak)" } }
      case .failure(let error): note(.error) { _ in "\(error)" }
      }
      resolver.take(answer)
    }
    let resolution = resolver.resolution
    if case .failure(.notFound) = resolution.result {
      note(.debug) { lookup in "\(lookup.id): no provider has a value" }
    }
    return resolution
  }

  /// Returns the answer of a provider, possibly encrypted.
  ///
  /// `notFound` is not treated as an error.
  mutating func found(at index: Int) -> TweakResolver.Answer {
    while answers.count <= index { answers.append(ask(at: answers.count)) }
    switch answers[index] {
    case .success(let tweak): return tweak.map { .tweak($0) } ?? .absent
    case .failure(.notFound): return .absent
    case .failure(let error): return .failure(error)
    }
  }

  private func ask(at index: Int) -> Result<Tweak?, TweakError> {
    do throws(TweakError) {
      var tweak = try environment.tables[index].tweak(feature: id.feature, variable: id.variable)
      if tweak?.source == nil { tweak?.source = environment.providers.all[index].name }
      return .success(tweak)
    } catch {
      return .failure(error)
    }
  }

  /// Returns the answer of a provider, decrypted.
  mutating func opened(at index: Int) -> TweakResolver.Answer {
    guard case .tweak(var tweak) = found(at: index) else { return found(at: index) }
    let provider = environment.providers.all[index]
    if !tweak.isEncrypted, !tweak.isSecret, isDeclaredSecret(below: index) {
      // Only values that the manager has set are encrypted, see `seal`.
      let isEncrypted = environment.providers.mutable[index]?.isPersistent ?? false
      tweak.modify { parts in
        parts.isSecret = true
        parts.isEncrypted = isEncrypted
      }
    }
    guard tweak.isEncrypted else { return .tweak(tweak) }
    guard let closure = provider.decryptionClosure ?? environment.decryption else {
      return .failure(.decryptionClosureNotProvided(id, provider: provider.name))
    }
    do {
      let value = try closure(tweak)
      tweak.modify { parts in
        parts.value = value
        parts.isEncrypted = false
        parts.isSecret = true
      }
    } catch {
      return .failure(.decryptionFailed(id, provider: provider.name, reason: "\(error)"))
    }
    return .tweak(tweak)
  }

  /// Returns whether any provider below another one declares the tweak secret.
  mutating func isDeclaredSecret(below index: Int) -> Bool {
    for index in environment.providers.all.indices[(index + 1)...] {
      switch found(at: index) {
      case .tweak(let tweak) where tweak.isEncrypted || tweak.isSecret: return true
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
