public import Signals

/// A provider of tweaks whose values depend on the user and the situation, by conditions and by shares of all users.
///
/// ```swift
/// import Signals
/// import Tweaks
///
/// let context = MutableProperty(TweakContext(targetingKey: "user-42", attributes: ["country": "NL"]))
/// let targeting = TargetingTweakProvider(
///   rules: [
///     TweakRule("shop", "limit", value: 50, if: [TweakCondition("country", .isOneOf, "NL", "BE")]),
///     TweakRule("shop", "limit", value: 20, basisPoints: 1_000),
///   ],
///   context: context
/// )
/// let manager = TweakManager(providers: [targeting])
/// print(manager.value(feature: "shop", variable: "limit", default: 10))  // Prints "50"
/// context.modify { $0.attributes["country"] = "US" }
/// print(manager.value(feature: "shop", variable: "limit", default: 10))  // Prints "10"
/// ```
///
/// The first applicable rule for a tweak decides. If none applies, the provider does not have the tweak. A rule for a
/// share between 0 and 100 percent of the users needs the context's ``TweakContext/targetingKey``. If the key is
/// missing or empty, reading the tweak is an error.
public final class TargetingTweakProvider: TweakProvider {
  /// The name of the provider.
  public let name: String

  /// The rules, the most important first.
  public let rules: MutableProperty<[TweakRule]>

  /// The context: the attributes of the user and the situation.
  let context: Property<TweakContext>

  private let emitter = Emitter<TweakUpdate, Never>()
  private let faults: TweakFaults
  private let subscriptions: [SignalSubscription]

  /// Creates a provider.
  ///
  /// - Parameters:
  ///   - rules: The rules.
  ///   - context: The attributes of the user and the situation. The provider follows their changes.
  ///   - name: The name of the provider.
  public init(rules: [TweakRule], context: Property<TweakContext>, name: String = "TargetingTweakProvider") {
    self.name = name
    let faults = TweakFaults(of: "TargetingTweakProvider", name)
    self.faults = faults
    self.rules = MutableProperty(rules)
    self.context = context
    subscriptions = [
      self.rules.changes.sink { [emitter, faults] _ in
        faults.removeAll()
        emitter.send(.everything)
      },
      context.changes.sink { [emitter, faults, rules = self.rules] _ in
        faults.removeAll()
        emitter.send(.tweaks(Set(rules.value.map(\.id))))
      },
    ]
  }

  /// The tweaks of the rules that apply, each with the number and the conditions of its rule as ``Tweak/rule``.
  ///
  /// A rule is applied when its tweak is asked for.
  public var table: Property<TweakTable> {
    .asking(TweakTable.Answers(tweak: tweak, ids: { [rules] in Set(rules.value.map(\.id)) }), following: emitter)
  }

  private func tweak(feature: String, variable: String) throws(TweakError) -> Tweak? {
    let context = context.value
    for (index, rule) in rules.value.enumerated() where rule.feature == feature && rule.variable == variable {
      if try applies(rule, context) {
        var tweak = Tweak(feature: feature, variable: variable, value: rule.value, source: name)
        tweak.rule = "rule \(index + 1)\(rule.reasons)"
        tweak.reason = rule.basisPoints < 10_000 ? .split : .targetingMatch
        return tweak
      }
    }
    return nil
  }

  private func applies(_ rule: TweakRule, _ context: TweakContext) throws(TweakError) -> Bool {
    for condition in rule.conditions {
      do throws(TweakCondition.Problem) {
        guard try condition.holds(in: context) else { return false }
      } catch {
        faults.report(.incomparable(rule.id, attribute: condition.attribute, reason: error.reason, provider: name))
        return false
      }
    }
    if rule.basisPoints <= 0 { return false }
    if rule.basisPoints >= 10_000 { return true }
    guard let targetingKey = context.targetingKey, !targetingKey.isEmpty else {
      throw .targetingKeyMissing(rule.id, provider: name)
    }
    return TweakRule.bucket("\(rule.feature)/\(rule.variable)", targetingKey: targetingKey) < rule.basisPoints
  }

  /// The conditions that this version does not understand, or that compare values of different kinds.
  ///
  /// Each is reported when its rule is read, once after each change of the rules or the context. A new subscriber first
  /// receives the failures since the last change.
  public var failures: AnySignal<TweakError, Never> { faults.signal }
}
