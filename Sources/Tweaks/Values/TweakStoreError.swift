public import Foundation

/// An error from a store of tweaks, which may have any type.
///
/// A suite or a file reports an `AppGroupsFileError`. Any other shared value reports its own
/// ``/Signals/SharedValue/AccessError``.
public struct TweakStoreError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  /// The error of the store.
  public let error: any Error & Hashable

  /// Wraps the error of a store.
  ///
  /// - Parameter error: The error.
  public init(_ error: any Error & Hashable) {
    self.error = error
  }

  /// The description of the error.
  public var description: String { "\(error)" }

  /// The same as ``description``.
  public var errorDescription: String? { description }

  /// Returns a Boolean value that indicates whether two errors are of one type and equal.
  public static func == (first: TweakStoreError, second: TweakStoreError) -> Bool {
    AnyHashable(first.error) == AnyHashable(second.error)
  }

  /// Hashes the error.
  public func hash(into hasher: inout Hasher) {
    error.hash(into: &hasher)
  }
}
