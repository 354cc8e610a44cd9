/// Stops the program with an explanation of a programming error after which it would hang or give wrong results.
///
/// A failed `precondition` also stops the program, but prints no message in a release build.
@usableFromInline
package func stop(because explanation: String) -> Never {
  fatalError(explanation)
}
