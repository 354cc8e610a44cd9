/// What leads to one version of a ``Schema`` from the version before it.
public struct MigrationStep: Sendable {
  /// The version that the file has afterwards.
  public let version: Int

  let body: @Sendable (Migration) throws -> Void

  /// Describes a step.
  ///
  /// New models get their tables, and all models their indexes, without being mentioned. If nothing else is to be done,
  /// leave the closure out. The step to version 1 is that which takes over a file whose tables this package has not
  /// made.
  ///
  /// - Parameters:
  ///   - version: The version that the file has afterwards.
  ///   - body: Changes tables and rows. What it throws undoes all steps.
  public init(to version: Int, _ body: @escaping @Sendable (Migration) throws -> Void = { _ in }) {
    self.version = version
    self.body = body
  }
}

/// Gathers the steps of a ``Schema``.
@resultBuilder
public enum MigrationBuilder: Sendable {
  /// Gathers steps.
  public static func buildBlock(_ steps: MigrationStep...) -> [MigrationStep] { steps }
}
