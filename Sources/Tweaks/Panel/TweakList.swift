#if canImport(SwiftUI)
  import Signals
  public import SwiftUI

  /// A list in which people search, change and reset tweaks.
  ///
  /// It shows the rows of a ``TweakPanel``, and follows their changes. To give it a title and a search field, put it
  /// into a `NavigationStack`.
  ///
  /// <!-- not compiled -->
  ///
  /// ```swift
  /// NavigationStack {
  ///   TweakList(panel: TweakPanel(manager: manager)).navigationTitle("Tweaks")
  /// }
  /// ```
  public struct TweakList: View {
    private let panel: TweakPanel
    @State private var problem: String?

    /// Creates a list.
    ///
    /// - Parameter panel: The panel to show.
    public init(panel: TweakPanel) {
      self.panel = panel
    }

    /// The groups with their tweaks.
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
      do throws(TweakError) {
        try panel.resetAll()
        problem = nil
      } catch {
        problem = error.description
      }
    }
  }
#endif
