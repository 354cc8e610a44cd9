#if canImport(SwiftUI)
  public import SwiftUI

  extension MutableProperty {
    /// A SwiftUI binding that reads and writes the property.
    ///
    /// A view that reads the binding is redrawn when any thread changes the property.
    ///
    /// <!-- not compiled -->
    /// ```swift
    /// let volume = MutableProperty(5.0)
    /// Slider(value: volume.binding, in: 0...10)
    /// ```
    public var binding: Binding<Value> {
      Binding(get: { self.value }, set: { self.value = $0 })
    }
  }

  extension Lens {
    /// A SwiftUI binding that reads and writes the part.
    ///
    /// <!-- not compiled -->
    /// ```swift
    /// let settings = MutableProperty(Settings())
    /// Toggle("Muted", isOn: settings.lens(\.isMuted).binding)
    /// ```
    public var binding: Binding<Value> {
      Binding(get: { self.value }, set: { self.value = $0 })
    }
  }

  extension BlockingSharedValue {
    /// Returns a SwiftUI binding that reads and writes the value.
    ///
    /// A view that reads the binding is redrawn when any process changes the value. Setting the binding writes the
    /// store while the main thread waits, so that the view reads the new value at once. For a control that edits one
    /// part, bind a lens, which keeps the changes of other processes to other parts.
    ///
    /// <!-- not compiled -->
    /// ```swift
    /// let settings = try AppGroupsFile(name: "settings.json", initialValue: Settings(), container: container)
    /// let isMuted = settings.lens(\.isMuted).binding { error in log.error("\(error)") }
    /// Toggle("Muted", isOn: isMuted)
    /// ```
    ///
    /// - Parameter report: A closure that receives the error of each write that fails. The view then shows the
    ///   unchanged value.
    /// - Returns: The binding.
    public func binding(onFailure report: @escaping @Sendable (any Error) -> Void) -> Binding<Value> {
      Binding(
        get: { self.property.value },
        set: { newValue in
          do { try self.write(newValue) } catch { report(error) }
        }
      )
    }
  }
#endif
