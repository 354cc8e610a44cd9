import Foundation

/// The use of a journal beside a file of values: how changes of a value become records, and records become changes.
struct Journaling<Value: Sendable>: Sendable {
  /// The way in which a changed value is stored.
  enum Step {
    /// Nothing has changed.
    case nothing
    /// As a record of the changes.
    case record(Data)
    /// As a whole.
    case whole
  }

  /// Returns the way to store a new value, which may be derived from an old one.
  let step: @Sendable (_ new: inout Value, _ old: Value) throws(AppGroupsFileError) -> Step
  /// Adds the changes of the running update, which were stored in a record, to the rest of the value.
  let fold: @Sendable (inout Value) -> Void
  /// Turns a value into one that consists of the content of the file only, because it is about to be stored as a whole.
  let rebase: @Sendable (inout Value) -> Void
  /// Applies the contents of records, and returns whether all of them are valid.
  ///
  /// It throws an error if a record is sealed and cannot be opened; then the value may have some of the changes.
  let apply: @Sendable ([Data], inout Value) throws(AppGroupsFileError) -> Bool
  /// Returns whether both values have the same content.
  let areSame: @Sendable (Value, Value) -> Bool
  /// Returns the numbers of the parts in which a new value differs from an old one, or `nil` if they are too many.
  let changes: @Sendable (_ old: Value, _ new: Value) -> [UInt32]?
  /// Returns the number of bytes that the value takes as the content of the file.
  let size: @Sendable (Value) -> Int
  /// Returns the names of the changes in records that a value does not have.
  let missing: @Sendable ([Data], Value) throws(AppGroupsFileError) -> [String]
}
