#if canImport(SwiftUI)
  import Signals
  public import SwiftUI

  /// A list of tweaks in which people look for them, change them and reset them.
  ///
  /// It shows what a ``TweakPanel`` says, and follows it. To have a title and a place for the search, put it into a
  /// `NavigationStack`.
  ///
  /// <!-- not compiled -->
  /// ```swift
  /// NavigationStack {
  ///   TweakList(panel: TweakPanel(manager: manager)).navigationTitle("Tweaks")
  /// }
  /// ```
  public struct TweakList: View {
    private let panel: TweakPanel
    @State private var problem: String?

    /// Makes a list.
    ///
    /// - Parameter panel: What it shows.
    public init(panel: TweakPanel) {
      self.panel = panel
    }

    /// The groups, each with its tweaks.
    public var body: some View {
      let search = Binding(get: { panel.search.value }, set: { panel.search.value = $0 })
      List {
        if let problem { Text(problem).foregroundStyle(.red) }
        ForEach(panel.sections.value, id: \.group) { section in
          Section(section.group) {
            ForEach(section.rows, id: \.id) { row in TweakRow(panel: panel, row: row) }
          }
        }
      }
      .searchable(text: search)
      .toolbar { Button("Reset All", action: resetAll) }
    }

    private func resetAll() {
      do throws(TweakPanel.EditError) {
        try panel.resetAll()
        problem = nil
      } catch {
        problem = error.description
      }
    }
  }
#endif
