/// Stops the program with an explanation, because going on would hang or lie.
///
/// A failed `precondition` stops too, but says nothing in a release build.
@usableFromInline
package func stop(because explanation: String) -> Never {
  fatalError(explanation)
}
