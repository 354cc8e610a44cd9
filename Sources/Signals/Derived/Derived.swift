extension Property {
  /// Creates a property that is computed from another one.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let celsius = MutableProperty(20.0)
  /// let fahrenheit = Property.derived(celsius) { $0 * 9 / 5 + 32 }
  /// print(fahrenheit.value)  // Prints "68.0"
  /// ```
  ///
  /// The input may also be a value with a property, such as a file, a value of a suite, or a live query. It is observed
  /// as long as the derived property or a subscription to it lives.
  ///
  /// - **Computation:** The value is computed when it is read and, while it is observed, after each change of its
  ///   inputs. It is never computed if it is neither read nor observed, and not computed again while its inputs are
  ///   unchanged.
  /// - **Changes:** A result that equals the previous value is not a change. It is not sent, and no dependent value is
  ///   computed from it.
  /// - **Consistency:** However many paths lead from a property to a derived value, its subscribers receive at most one
  ///   value per write. They never receive a value computed from a mix of old and new inputs, whatever other threads
  ///   write. See law 8 of <doc:/Docs/TheLaws>, and <doc:/Docs/DerivedValues>.
  /// - **Lifetime:** The derived property keeps its inputs' values alive, and completes when none of them can change
  ///   any more.
  ///
  /// - Parameters:
  ///   - source: The property to compute from, or a value with one.
  ///   - transform: A closure that computes the value, on the thread that reads or writes. It must depend on its
  ///     argument alone. Reading its own result, or writing one of its inputs, stops the program with an explanation.
  ///     Two threads that read at the same time may both run it.
  ///   - file: The file that such an explanation names; by default the caller's.
  ///   - line: The line that such an explanation names; by default the caller's.
  /// - Returns: A property that always has the computed value.
  @inlinable
  public static func derived<Source: PropertyConvertible>(
    _ source: Source,
    _ transform: @escaping @Sendable (Source.PropertyValue) -> Value,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Property<Value> where Value: Equatable {
    computed(from: DerivedInput(source.property), isSame: ==, at: (file, line), transform)
  }

  /// Creates a property that is computed from another one, and whose values are compared by a closure.
  @inlinable
  package static func derived<Source>(
    _ source: Property<Source>,
    isSame: @escaping @Sendable (Value, Value) -> Bool,
    file: StaticString = #fileID, line: UInt = #line,
    transform: @escaping @Sendable (Source) -> Value
  ) -> Property<Value> {
    computed(from: DerivedInput(source), isSame: isSame, at: (file, line), transform)
  }

  /// Creates a property that is computed from two others; see ``derived(_:_:file:line:)-9vl3g``.
  @inlinable
  public static func derived<First: PropertyConvertible, Second: PropertyConvertible>(
    _ first: First,
    _ second: Second,
    _ transform: @escaping @Sendable (First.PropertyValue, Second.PropertyValue) -> Value,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Property<Value> where Value: Equatable {
    computed(
      from: DerivedInputPair(DerivedInput(first.property), DerivedInput(second.property)), isSame: ==, at: (file, line)
    ) {
      transform($0.0, $0.1)
    }
  }

  /// Creates a property that is computed from three others; see ``derived(_:_:file:line:)-9vl3g``.
  @inlinable
  public static func derived<First: PropertyConvertible, Second: PropertyConvertible, Third: PropertyConvertible>(
    _ first: First,
    _ second: Second,
    _ third: Third,
    _ transform: @escaping @Sendable (First.PropertyValue, Second.PropertyValue, Third.PropertyValue) -> Value,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Property<Value> where Value: Equatable {
    computed(
      from: DerivedInputPair(
        DerivedInputPair(DerivedInput(first.property), DerivedInput(second.property)), DerivedInput(third.property)),
      isSame: ==, at: (file, line)
    ) { transform($0.0.0, $0.0.1, $0.1) }
  }

  /// Creates a property that is computed from four others; see ``derived(_:_:file:line:)-9vl3g``.
  @inlinable
  public static func derived<
    First: PropertyConvertible, Second: PropertyConvertible, Third: PropertyConvertible, Fourth: PropertyConvertible
  >(
    _ first: First,
    _ second: Second,
    _ third: Third,
    _ fourth: Fourth,
    _ transform:
      @escaping @Sendable (First.PropertyValue, Second.PropertyValue, Third.PropertyValue, Fourth.PropertyValue) ->
      Value,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Property<Value> where Value: Equatable {
    let inputs = DerivedInputPair(
      DerivedInputPair(DerivedInput(first.property), DerivedInput(second.property)),
      DerivedInputPair(DerivedInput(third.property), DerivedInput(fourth.property))
    )
    return computed(from: inputs, isSame: ==, at: (file, line)) { transform($0.0.0, $0.0.1, $0.1.0, $0.1.1) }
  }

  /// Creates a property that is computed from five or more others; see ``derived(_:_:file:line:)-9vl3g``.
  ///
  /// The inputs are read through a list, which is slower than up to four inputs.
  public static func derived<
    First: PropertyConvertible, Second: PropertyConvertible, Third: PropertyConvertible, Fourth: PropertyConvertible,
    Fifth: PropertyConvertible, each Other: PropertyConvertible
  >(
    _ first: First,
    _ second: Second,
    _ third: Third,
    _ fourth: Fourth,
    _ fifth: Fifth,
    _ others: repeat each Other,
    transform:
      @escaping @Sendable (
        First.PropertyValue, Second.PropertyValue, Third.PropertyValue, Fourth.PropertyValue, Fifth.PropertyValue,
        repeat (each Other).PropertyValue
      ) -> Value,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Property<Value> where Value: Equatable {
    computedFromList(
      first.property, second.property, third.property, fourth.property, fifth.property,
      repeat (each others).property, isSame: ==, at: (file, line), transform)
  }

  /// Creates a property that is computed from an array of properties of one type; see
  /// ``derived(_:_:file:line:)-9vl3g``.
  @inlinable
  public static func derived<Source: PropertyConvertible>(
    _ sources: [Source],
    _ transform: @escaping @Sendable ([Source.PropertyValue]) -> Value,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Property<Value> where Value: Equatable {
    computed(from: DerivedInputArray(sources.map(\.property)), isSame: ==, at: (file, line), transform)
  }
}

extension Property {
  /// Creates a property that is computed from another one, for a type that is not `Equatable`.
  ///
  /// Every computation counts as a change.
  @inlinable
  public static func derived<Source: PropertyConvertible>(
    _ source: Source,
    _ transform: @escaping @Sendable (Source.PropertyValue) -> Value,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Property<Value> {
    computed(from: DerivedInput(source.property), isSame: { _, _ in false }, at: (file, line), transform)
  }

  /// Creates a property that is computed from two others, for a type that is not `Equatable`.
  @inlinable
  public static func derived<First: PropertyConvertible, Second: PropertyConvertible>(
    _ first: First,
    _ second: Second,
    _ transform: @escaping @Sendable (First.PropertyValue, Second.PropertyValue) -> Value,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Property<Value> {
    computed(
      from: DerivedInputPair(DerivedInput(first.property), DerivedInput(second.property)), isSame: { _, _ in false },
      at: (file, line)
    ) {
      transform($0.0, $0.1)
    }
  }

  /// Creates a property that is computed from three others, for a type that is not `Equatable`.
  @inlinable
  public static func derived<First: PropertyConvertible, Second: PropertyConvertible, Third: PropertyConvertible>(
    _ first: First,
    _ second: Second,
    _ third: Third,
    _ transform: @escaping @Sendable (First.PropertyValue, Second.PropertyValue, Third.PropertyValue) -> Value,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Property<Value> {
    computed(
      from: DerivedInputPair(
        DerivedInputPair(DerivedInput(first.property), DerivedInput(second.property)), DerivedInput(third.property)),
      isSame: { _, _ in false }, at: (file, line)
    ) { transform($0.0.0, $0.0.1, $0.1) }
  }

  /// Creates a property that is computed from four others, for a type that is not `Equatable`.
  @inlinable
  public static func derived<
    First: PropertyConvertible, Second: PropertyConvertible, Third: PropertyConvertible, Fourth: PropertyConvertible
  >(
    _ first: First,
    _ second: Second,
    _ third: Third,
    _ fourth: Fourth,
    _ transform:
      @escaping @Sendable (First.PropertyValue, Second.PropertyValue, Third.PropertyValue, Fourth.PropertyValue) ->
      Value,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Property<Value> {
    let inputs = DerivedInputPair(
      DerivedInputPair(DerivedInput(first.property), DerivedInput(second.property)),
      DerivedInputPair(DerivedInput(third.property), DerivedInput(fourth.property))
    )
    return computed(from: inputs, isSame: { _, _ in false }, at: (file, line)) {
      transform($0.0.0, $0.0.1, $0.1.0, $0.1.1)
    }
  }

  /// Creates a property that is computed from five or more others, for a type that is not `Equatable`.
  ///
  /// The inputs are read through a list, which is slower than up to four inputs.
  public static func derived<
    First: PropertyConvertible, Second: PropertyConvertible, Third: PropertyConvertible, Fourth: PropertyConvertible,
    Fifth: PropertyConvertible, each Other: PropertyConvertible
  >(
    _ first: First,
    _ second: Second,
    _ third: Third,
    _ fourth: Fourth,
    _ fifth: Fifth,
    _ others: repeat each Other,
    transform:
      @escaping @Sendable (
        First.PropertyValue, Second.PropertyValue, Third.PropertyValue, Fourth.PropertyValue, Fifth.PropertyValue,
        repeat (each Other).PropertyValue
      ) -> Value,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Property<Value> {
    computedFromList(
      first.property, second.property, third.property, fourth.property, fifth.property,
      repeat (each others).property, isSame: { _, _ in false }, at: (file, line), transform)
  }

  /// Creates a property that is computed from an array of properties of one type, for a type that is not `Equatable`.
  @inlinable
  public static func derived<Source: PropertyConvertible>(
    _ sources: [Source],
    _ transform: @escaping @Sendable ([Source.PropertyValue]) -> Value,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Property<Value> {
    computed(from: DerivedInputArray(sources.map(\.property)), isSame: { _, _ in false }, at: (file, line), transform)
  }

  /// Creates a property that is computed from five or more others.
  ///
  /// It is not inlined: the compiler (6.3.1) cannot emit the optimized code for packs of associated types.
  @inline(never)
  private static func computedFromList<First, Second, Third, Fourth, Fifth, each Other: Sendable>(
    _ first: Property<First>,
    _ second: Property<Second>,
    _ third: Property<Third>,
    _ fourth: Property<Fourth>,
    _ fifth: Property<Fifth>,
    _ others: repeat Property<each Other>,
    isSame: @escaping @Sendable (Value, Value) -> Bool,
    at place: (file: StaticString, line: UInt),
    _ transform: @escaping @Sendable (First, Second, Third, Fourth, Fifth, repeat each Other) -> Value
  ) -> Property<Value> {
    let five = DerivedInputList(first, second, third, fourth, fifth)
    let inputs = DerivedInputPair(five, DerivedInputList(repeat each others))
    let apply: @Sendable (((First, Second, Third, Fourth, Fifth), (repeat each Other))) -> Value = { values in
      let (five, others) = values
      return transform(five.0, five.1, five.2, five.3, five.4, repeat each others)
    }
    return computed(from: inputs, isSame: isSame, at: place, apply)
  }
}
