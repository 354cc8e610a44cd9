extension Property {
  /// Makes a property that is computed from another one.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let celsius = MutableProperty(20.0)
  /// let fahrenheit = Property.derived(celsius) { $0 * 9 / 5 + 32 }
  /// print(fahrenheit.value)  // Prints "68.0"
  /// ```
  ///
  /// It is computed when it is read and, as long as somebody observes it, after each change of what it depends on;
  /// never for nobody, and not again as long as its inputs are the same. A result equal to the one before is no change:
  /// nobody is told, and nothing is computed from it. However many paths lead from a property to a derived value, its
  /// subscribers hear of a write once, and never see old and new inputs mixed, whatever other threads write: law 8 of
  /// <doc:/Docs/TheLaws>. <doc:/Docs/DerivedValues> tells more.
  ///
  /// The derived property keeps its inputs' values alive, and ends when none of them can change any more.
  ///
  /// - Parameters:
  ///   - source: The property to compute from.
  ///   - transform: Computes the value, on the thread that reads or writes. It must depend on its argument alone, and
  ///     read neither its own result nor write what it depends on, which stops the program with an explanation. Two
  ///     threads that read at once may both run it.
  ///   - file: The file that such an explanation names; the caller's by default.
  ///   - line: The line that such an explanation names; the caller's by default.
  /// - Returns: A property that always has the computed value.
  @inlinable
  public static func derived<Source>(
    _ source: Property<Source>,
    _ transform: @escaping @Sendable (Source) -> Value,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Property<Value> where Value: Equatable {
    computed(from: DerivedInput(source), isSame: ==, at: (file, line), transform)
  }

  /// Makes a property that is computed from two others; see ``derived(_:_:file:line:)-63st2``.
  @inlinable
  public static func derived<First, Second>(
    _ first: Property<First>,
    _ second: Property<Second>,
    _ transform: @escaping @Sendable (First, Second) -> Value,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Property<Value> where Value: Equatable {
    computed(from: DerivedInputPair(DerivedInput(first), DerivedInput(second)), isSame: ==, at: (file, line)) {
      transform($0.0, $0.1)
    }
  }

  /// Makes a property that is computed from three others; see ``derived(_:_:file:line:)-63st2``.
  @inlinable
  public static func derived<First, Second, Third>(
    _ first: Property<First>,
    _ second: Property<Second>,
    _ third: Property<Third>,
    _ transform: @escaping @Sendable (First, Second, Third) -> Value,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Property<Value> where Value: Equatable {
    computed(
      from: DerivedInputPair(DerivedInputPair(DerivedInput(first), DerivedInput(second)), DerivedInput(third)),
      isSame: ==, at: (file, line)
    ) { transform($0.0.0, $0.0.1, $0.1) }
  }

  /// Makes a property that is computed from four others; see ``derived(_:_:file:line:)-63st2``.
  @inlinable
  public static func derived<First, Second, Third, Fourth>(
    _ first: Property<First>,
    _ second: Property<Second>,
    _ third: Property<Third>,
    _ fourth: Property<Fourth>,
    _ transform: @escaping @Sendable (First, Second, Third, Fourth) -> Value,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Property<Value> where Value: Equatable {
    let inputs = DerivedInputPair(
      DerivedInputPair(DerivedInput(first), DerivedInput(second)),
      DerivedInputPair(DerivedInput(third), DerivedInput(fourth))
    )
    return computed(from: inputs, isSame: ==, at: (file, line)) { transform($0.0.0, $0.0.1, $0.1.0, $0.1.1) }
  }

  /// Makes a property that is computed from five or more others; see ``derived(_:_:file:line:)-63st2``.
  ///
  /// They are read through a list, which is slower than up to four.
  public static func derived<First, Second, Third, Fourth, Fifth, each Other: Sendable>(
    _ first: Property<First>,
    _ second: Property<Second>,
    _ third: Property<Third>,
    _ fourth: Property<Fourth>,
    _ fifth: Property<Fifth>,
    _ others: repeat Property<each Other>,
    transform: @escaping @Sendable (First, Second, Third, Fourth, Fifth, repeat each Other) -> Value,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Property<Value> where Value: Equatable {
    let five = DerivedInputList(first, second, third, fourth, fifth)
    let inputs = DerivedInputPair(five, DerivedInputList(repeat each others))
    let apply: @Sendable (((First, Second, Third, Fourth, Fifth), (repeat each Other))) -> Value = { values in
      let (five, others) = values
      return transform(five.0, five.1, five.2, five.3, five.4, repeat each others)
    }
    return computed(from: inputs, isSame: ==, at: (file, line), apply)
  }

  /// Makes a property that is computed from a list of others of one type; see ``derived(_:_:file:line:)-63st2``.
  @inlinable
  public static func derived<Source>(
    _ sources: [Property<Source>],
    _ transform: @escaping @Sendable ([Source]) -> Value,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Property<Value> where Value: Equatable {
    computed(from: DerivedInputArray(sources), isSame: ==, at: (file, line), transform)
  }
}

extension Property {
  /// Makes a property that is computed from another one, of a type whose values cannot be compared: every computation
  /// counts as a change.
  @inlinable
  public static func derived<Source>(
    _ source: Property<Source>,
    _ transform: @escaping @Sendable (Source) -> Value,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Property<Value> {
    computed(from: DerivedInput(source), isSame: { _, _ in false }, at: (file, line), transform)
  }

  /// Makes a property that is computed from two others and cannot be compared.
  @inlinable
  public static func derived<First, Second>(
    _ first: Property<First>,
    _ second: Property<Second>,
    _ transform: @escaping @Sendable (First, Second) -> Value,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Property<Value> {
    computed(
      from: DerivedInputPair(DerivedInput(first), DerivedInput(second)), isSame: { _, _ in false }, at: (file, line)
    ) {
      transform($0.0, $0.1)
    }
  }

  /// Makes a property that is computed from three others and cannot be compared.
  @inlinable
  public static func derived<First, Second, Third>(
    _ first: Property<First>,
    _ second: Property<Second>,
    _ third: Property<Third>,
    _ transform: @escaping @Sendable (First, Second, Third) -> Value,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Property<Value> {
    computed(
      from: DerivedInputPair(DerivedInputPair(DerivedInput(first), DerivedInput(second)), DerivedInput(third)),
      isSame: { _, _ in false }, at: (file, line)
    ) { transform($0.0.0, $0.0.1, $0.1) }
  }

  /// Makes a property that is computed from four others and cannot be compared.
  @inlinable
  public static func derived<First, Second, Third, Fourth>(
    _ first: Property<First>,
    _ second: Property<Second>,
    _ third: Property<Third>,
    _ fourth: Property<Fourth>,
    _ transform: @escaping @Sendable (First, Second, Third, Fourth) -> Value,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Property<Value> {
    let inputs = DerivedInputPair(
      DerivedInputPair(DerivedInput(first), DerivedInput(second)),
      DerivedInputPair(DerivedInput(third), DerivedInput(fourth))
    )
    return computed(from: inputs, isSame: { _, _ in false }, at: (file, line)) {
      transform($0.0.0, $0.0.1, $0.1.0, $0.1.1)
    }
  }

  /// Makes a property that is computed from five or more others and cannot be compared.
  ///
  /// They are read through a list, which is slower than up to four.
  public static func derived<First, Second, Third, Fourth, Fifth, each Other: Sendable>(
    _ first: Property<First>,
    _ second: Property<Second>,
    _ third: Property<Third>,
    _ fourth: Property<Fourth>,
    _ fifth: Property<Fifth>,
    _ others: repeat Property<each Other>,
    transform: @escaping @Sendable (First, Second, Third, Fourth, Fifth, repeat each Other) -> Value,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Property<Value> {
    let five = DerivedInputList(first, second, third, fourth, fifth)
    let inputs = DerivedInputPair(five, DerivedInputList(repeat each others))
    let apply: @Sendable (((First, Second, Third, Fourth, Fifth), (repeat each Other))) -> Value = { values in
      let (five, others) = values
      return transform(five.0, five.1, five.2, five.3, five.4, repeat each others)
    }
    return computed(from: inputs, isSame: { _, _ in false }, at: (file, line), apply)
  }

  /// Makes a property that is computed from a list of others of one type and cannot be compared.
  @inlinable
  public static func derived<Source>(
    _ sources: [Property<Source>],
    _ transform: @escaping @Sendable ([Source]) -> Value,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Property<Value> {
    computed(from: DerivedInputArray(sources), isSame: { _, _ in false }, at: (file, line), transform)
  }
}
