/// The error that `#` represents in a marble diagram.
public struct MarbleFailure: Error, Hashable {
  /// Creates the error.
  public init() {}
}
