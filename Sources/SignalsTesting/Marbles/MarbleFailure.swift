/// The failure that `#` stands for in a marble diagram.
public struct MarbleFailure: Error, Hashable {
  /// Makes the failure.
  public init() {}
}
