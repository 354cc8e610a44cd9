/// The sources of this process that are registered under a name, for tools that inspect a running program.
///
/// Sources are registered only by an explicit call, and an unregistered source costs nothing. The registry keeps no
/// source alive.
///
/// ```swift
/// import Signals
///
/// let volume = MutableProperty(5).registered(as: "volume") { "\($0) of 10" }
/// let subscription = volume.sink { _ in }
/// for source in SourceRegistry.sources {
///   print(source.name, source.valueDescription ?? "hidden", source.subscriberCount)  // Prints "volume 5 of 10 1"
/// }
/// subscription.cancel()
/// ```
public enum SourceRegistry: Sendable {
  private static let entries = Guarded<[RegisteredSource]>([])

  /// The registered sources that are alive, in the order in which they were registered.
  ///
  /// - Complexity: O(*n*) in the number of registered sources.
  public static var sources: [RegisteredSource] { changed { $0.removeAll { $0.core == nil } } }

  /// Changes the entries, and returns them.
  private static func changed(_ change: (inout [RegisteredSource]) -> Void) -> [RegisteredSource] {
    let (sources, old, cores) = entries.withLock { entries in
      // The `deinit` of a core, or of what a description captures, may run code, so both must outlive the lock.
      let (old, cores) = (entries, entries.map(\.core))
      change(&entries)
      return (entries, old, cores)
    }
    return withExtendedLifetime((old, cores)) { sources }
  }

  static func register(
    _ core: any TracedSource, _ kind: RegisteredSource.Kind, as name: String, at place: CodePlace,
    describing: (@Sendable () -> String?)? = nil
  ) {
    let source = RegisteredSource(core: core, kind: kind, name: name, place: place.description, describing: describing)
    _ = changed { entries in
      entries.removeAll { $0.core == nil || $0.core === core }
      entries.append(source)
    }
  }

  /// Returns the name of a source, if it is registered.
  static func name(of core: SourceCore) -> String? {
    let id = ObjectIdentifier(core)
    // A released source may have had the same address. No core but this one is loaded, so none is released here.
    return entries.withLock { entries in entries.first { $0.id == id && $0.core != nil }?.name }
  }
}

/// A source that is registered under a name; see ``SourceRegistry``.
public struct RegisteredSource: Sendable, Identifiable {
  /// The kinds of sources.
  @nonexhaustive
  public enum Kind: String, Sendable, Hashable {
    /// An ``Emitter``.
    case emitter

    /// A ``Property`` that holds a value.
    case property

    /// A ``Property`` that is computed from others.
    case derived
  }

  /// The identity of the source in this process.
  public let id: ObjectIdentifier

  /// The name under which the source was registered.
  public let name: String

  /// The kind of the source.
  public let kind: Kind

  /// The name of the type of the values.
  public let valueType: String

  /// The place in the code where the source was registered, such as `App/Settings.swift:12`.
  public let place: String

  private let describing: (@Sendable () -> String?)?
  private let reference: SourceReference

  init(core: any TracedSource, kind: Kind, name: String, place: String, describing: (@Sendable () -> String?)?) {
    (id, valueType, reference) = (ObjectIdentifier(core), core.valueTypeName, SourceReference(core))
    (self.kind, self.name, self.place, self.describing) = (kind, name, place, describing)
  }

  /// The source, unless it has been released.
  fileprivate var core: SourceCore? { reference.core }

  private var source: (any TracedSource)? { core as? any TracedSource }

  /// The current value as described by the closure given at registration.
  ///
  /// It is `nil` without such a closure, or if the source has been released.
  public var valueDescription: String? { describing?() }

  /// The number of changes of a property so far.
  ///
  /// It is `nil` if the source has been released. A derived value counts the values that it computed. An emitter counts
  /// its values only while an inspector asks, from the first question on; otherwise this is `nil`.
  public var changeCount: UInt64? {
    kind == .emitter ? reference.counter?.count : (core as? any CountedSource)?.changeCount
  }

  /// Counts the values of an emitter as long as the result exists.
  ///
  /// - Returns: The count, or `nil` if the source is not an emitter or has been released.
  package func counted() -> ValueCounter? {
    guard kind == .emitter, let source else { return nil }
    return reference.counter(of: source)
  }

  /// The number of active subscriptions; 0 if the source has been released.
  public var subscriberCount: Int { max(0, (source?.subscriberCount ?? 0) - (reference.counter == nil ? 0 : 1)) }

  /// Lists the active subscriptions in the order in which they began; see ``Property/subscriptions()``.
  ///
  /// - Returns: One trace for each path from the source to a consumer.
  public func subscriptions() async -> [SubscriptionTrace] { await source?.traces() ?? [] }

  /// The sources from which a derived value is computed; empty for other kinds.
  ///
  /// A registered source is listed by its name, a derived one by the place where it was created, and any other by its
  /// type.
  public var inputs: [String] { core?.inputDescriptions ?? [] }
}

extension Property {
  /// The sources from which the property is computed; empty unless it is derived.
  ///
  /// A source that is registered in the ``SourceRegistry`` is listed by its name, a derived one by the place where it
  /// was created, and any other by its type.
  public var inputs: [String] { core.inputDescriptions }

  /// Registers the property under a name, for tools that inspect a running program.
  ///
  /// - Parameters:
  ///   - name: The name. Registering a property again replaces its name.
  ///   - describing: A closure that describes the current value. Without it, tools cannot see the value. A derived
  ///     value that no one observes is computed each time a tool asks.
  ///   - file: The file that ``RegisteredSource/place`` reports.
  ///   - line: The line that ``RegisteredSource/place`` reports.
  /// - Returns: The property.
  @discardableResult
  public func registered(
    as name: String, describing: (@Sendable (Value) -> String)? = nil, file: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    let kind: RegisteredSource.Kind = core.derivation == nil ? .property : .derived
    var description: (@Sendable () -> String?)?
    // A derived value has no stored value before it is published; the property computes it.
    if let describing { description = { [weak core] in core.map { describing(Property(core: $0).value) } } }
    SourceRegistry.register(core, kind, as: name, at: CodePlace(file, line), describing: description)
    return self
  }
}

extension Emitter {
  /// Registers the emitter under a name, for tools that inspect a running program.
  ///
  /// - Parameters:
  ///   - name: The name. Registering an emitter again replaces its name.
  ///   - file: The file that ``RegisteredSource/place`` reports.
  ///   - line: The line that ``RegisteredSource/place`` reports.
  /// - Returns: The emitter.
  @discardableResult
  public func registered(as name: String, file: StaticString = #fileID, line: UInt = #line) -> Self {
    SourceRegistry.register(core, .emitter, as: name, at: CodePlace(file, line))
    return self
  }
}

extension SourceCore {
  /// Descriptions of the sources from which a derived value is computed.
  var inputDescriptions: [String] {
    guard let derivation else { return [] }
    return derivation.inputs.map { input in
      input._withUnsafeGuaranteedRef { core in
        if let name = SourceRegistry.name(of: core) { return name }
        if let node = core.derivation { return core.lock.withLock { node.computers.origin }.description }
        return (core as? any TracedSource).map { "Property<\($0.valueTypeName)>" } ?? "a source"
      }
    }
  }
}
