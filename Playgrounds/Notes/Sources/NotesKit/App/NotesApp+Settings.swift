import SignalsKit

extension NotesApp {
  /// Changes some settings of the active environment.
  ///
  /// - Parameters:
  ///   - textSize: The new size of text, or `nil` to keep it.
  ///   - showsActivity: Whether the page shows the history, or `nil` to keep it.
  /// - Throws: An error of the file.
  public func set(textSize: Settings.TextSize?, showsActivity: Bool?) async throws {
    // An update, not a write: two processes that change different settings keep each other's change.
    try await settings.update { settings in
      settings.textSize = textSize ?? settings.textSize
      settings.showsActivity = showsActivity ?? settings.showsActivity
    }
  }
}
