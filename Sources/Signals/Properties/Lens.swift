/// A writable view of one part of a property.
///
/// A lens is itself a property: it reads, sends and combines as a derived value does. Writing it changes only its part
/// of the property that it was created from. Pass a lens to code that needs only one part.
///
/// ```swift
/// import Signals
///
/// struct Audio: Equatable {
///   var volume = 5
///   var isMuted = false
/// }
///
/// let audio = MutableProperty(Audio())
/// let volume = audio.lens(\.volume)
/// let subscription = volume.sink { print("volume", $0) }  // Prints "volume 5"
/// volume.value = 7  // Prints "volume 7"
/// audio.modify { $0.isMuted = true }
/// volume.modify { $0 += 1 }  // Prints "volume 8"
/// print(audio.value)  // Prints "Audio(volume: 8, isMuted: true)"
/// ```
///
/// - **Reading:** The part is read from the property with ``Property/derived(_:_:file:line:)-9vl3g``, so all rules of
///   derived values hold. Subscribers of a part that is `Equatable` are not called when only other parts change.
/// - **Writing:** Each write is one ``MutableProperty/modify(_:)`` of the property. Threads that write it directly, or
///   through different lenses, keep each other's changes.
/// - **Composition:** `lens(_:)` of a lens is a lens of the same property.
/// - **Lifetime:** A lens keeps the property alive. A subscription to the lens does not.
/// - **Observation:** Swift Observation announces the changes of the property, as for every derived value. A view may
///   therefore create a lens in its body without keeping it.
public final class Lens<Value: Sendable>: Property<Value>, @unchecked Sendable {
  // Sound: immutable; the core guards itself.

  /// Changes the part.
  ///
  /// If the closure returns `false`, the property stays unchanged and sends nothing.
  @usableFromInline typealias Change = @Sendable (_ body: (inout Value) -> Bool) -> Void

  private let change: Change

  fileprivate init(_ part: Property<Value>, change: @escaping Change) {
    self.change = change
    super.init(core: part.core, source: part.source)
  }

  /// The current value of the part.
  ///
  /// Setting it keeps what other threads wrote to other parts. To change the value based on the current one, use
  /// ``modify(_:)``.
  public override var value: Value {
    get { super.value }
    set {
      change {
        $0 = newValue
        return true
      }
    }
  }

  /// Changes a copy of the part, and stores it in the property.
  ///
  /// - **Threads:** As with ``MutableProperty/modify(_:)``, no lock is held while `body` runs. It runs again if another
  ///   thread writes any part of the property at the same time.
  /// - **Re-entrancy:** `body` may read properties, and write others. Writing the property of the lens
  ///   stops the program with an explanation.
  /// - **Errors:** If `body` throws, the property stays unchanged and sends nothing.
  ///
  /// - Parameter body: A closure that changes its argument.
  /// - Returns: The result of `body`.
  /// - Throws: The error that `body` throws.
  @discardableResult
  public func modify<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var outcome: Swift.Result<Result, Failure>?
    change { value in
      do throws(Failure) {
        outcome = .success(try body(&value))
        return true
      } catch {
        outcome = .failure(error)
        return false
      }
    }
    // Sound: `change` runs the closure at least once.
    return try outcome.unsafelyUnwrapped.get()
  }
}

extension MutableProperty {
  /// Returns a writable view of one part of the property.
  ///
  /// - Parameters:
  ///   - keyPath: The path from the value to its part.
  ///   - file: The file that an explanation of misuse names; by default the caller's.
  ///   - line: The line that an explanation of misuse names; by default the caller's.
  /// - Returns: A lens, which sends a part only if it differs from the previous one.
  public func lens<Part: Equatable & Sendable>(
    _ keyPath: any WritableKeyPath<Value, Part> & Sendable, file: StaticString = #fileID, line: UInt = #line
  ) -> Lens<Part> {
    Lens(.derived(self, { $0[keyPath: keyPath] }, file: file, line: line), change: change(of: keyPath))
  }

  /// Returns a writable view of one part of the property, for a part that is not `Equatable`.
  ///
  /// The lens sends its part after every change of the property.
  public func lens<Part: Sendable>(
    _ keyPath: any WritableKeyPath<Value, Part> & Sendable, file: StaticString = #fileID, line: UInt = #line
  ) -> Lens<Part> {
    Lens(.derived(self, { $0[keyPath: keyPath] }, file: file, line: line), change: change(of: keyPath))
  }

  private func change<Part: Sendable>(of keyPath: any WritableKeyPath<Value, Part> & Sendable) -> Lens<Part>.Change {
    { body in
      do throws(Unchanged) {
        try self.modify { value throws(Unchanged) in
          guard body(&value[keyPath: keyPath]) else { throw Unchanged() }
        }
      } catch {
        // Nothing was stored, and `modify(_:)` has kept the error.
      }
    }
  }
}

extension Lens {
  /// Returns a writable view of a part of this part.
  ///
  /// - Parameters:
  ///   - keyPath: The path from the value of this lens to its part.
  ///   - file: The file that an explanation of misuse names; by default the caller's.
  ///   - line: The line that an explanation of misuse names; by default the caller's.
  /// - Returns: A lens of the same property, which sends a part only if it differs from the previous one.
  public func lens<Part: Equatable & Sendable>(
    _ keyPath: any WritableKeyPath<Value, Part> & Sendable, file: StaticString = #fileID, line: UInt = #line
  ) -> Lens<Part> {
    Lens<Part>(.derived(self, { $0[keyPath: keyPath] }, file: file, line: line), change: change(of: keyPath))
  }

  /// Returns a writable view of a part of this part, for a part that is not `Equatable`.
  ///
  /// The lens sends its part after every change of this one.
  public func lens<Part: Sendable>(
    _ keyPath: any WritableKeyPath<Value, Part> & Sendable, file: StaticString = #fileID, line: UInt = #line
  ) -> Lens<Part> {
    Lens<Part>(.derived(self, { $0[keyPath: keyPath] }, file: file, line: line), change: change(of: keyPath))
  }

  private func change<Part: Sendable>(of keyPath: any WritableKeyPath<Value, Part> & Sendable) -> Lens<Part>.Change {
    { [change] body in change { body(&$0[keyPath: keyPath]) } }
  }
}

/// The error that makes a property discard a change.
private struct Unchanged: Error {}
