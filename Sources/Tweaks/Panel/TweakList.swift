#if canImport(SwiftUI)
  import Signals
  public import SwiftUI

  /// A list in which people search, change and reset tweaks, and see the value of every provider.
  ///
  /// It shows the rows of a ``TweakPanel`` in their groups, and follows their changes. A Bool has a switch, a secret a
  /// hidden field, and every other value a field that accepts only text of its type. To give the list a title and a
  /// search field, put it into a `NavigationStack`.
  ///
  /// <!-- not compiled -->
  ///
  /// ```swift
  /// NavigationStack {
  ///   TweakList(panel: TweakPanel(manager: manager)).navigationTitle("Tweaks")
  /// }
  /// ```
  ///
  /// In UIKit and AppKit, host the stack:
  ///
  /// <!-- not compiled -->
  ///
  /// ```swift
  /// UIHostingController(rootView: NavigationStack { TweakList(panel: TweakPanel(manager: manager)) })
  /// NSHostingController(rootView: NavigationStack { TweakList(panel: TweakPanel(manager: manager)) })
  /// ```
  public struct TweakList: View {
    private let panel: TweakPanel
    @State private var problem: String?
    @State private var isResetting = false

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
      .toolbar { Button("Reset All") { isResetting = true } }
      .confirmationDialog("Remove all overrides?", isPresented: $isResetting, titleVisibility: .visible) {
        Button("Reset All", role: .destructive, action: resetAll)
      }
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
