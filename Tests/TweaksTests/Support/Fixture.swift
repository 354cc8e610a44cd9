import AppGroups
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing
import Tweaks

/// A folder with files of tweaks.
struct Fixture {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @discardableResult
  func write(_ text: String, to name: String = "tweaks.json") throws -> URL {
    let url = directory.file(name)
    try DurableFile.write(Data(text.utf8), to: url)
    return url
  }

  func suite(_ name: String = "overrides.json") throws -> AppGroupsSuite {
    try AppGroupsSuite(
      name: name, container: AppGroupsContainer(directory: directory.url.appending(path: "group")),
      options: .init(durability: .process)
    )
  }

  func local(_ text: String) throws -> FileTweakProvider {
    try FileTweakProvider(url: write(text), isLive: false)
  }
}

/// User defaults for one test, which are removed at the end.
final class TestDefaults {
  let name: String
  let defaults: UserDefaults
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    #if canImport(Darwin)
      name = "org.signals.tests.\(UUID())"
    #else
      // The name is a path relative to the settings folder in the home directory.
      name = String(repeating: "../", count: 32) + directory.url.path.dropFirst() + "/defaults"
    #endif
    defaults = try #require(UserDefaults(suiteName: name))
  }

  deinit {
    defaults.removePersistentDomain(forName: name)
  }
}

/// A custom provider that counts its queries.
final class CountingProvider: AskedTweakProvider {
  let name: String
  let asked = MutableProperty(0)
  let featuresAsked = MutableProperty(0)
  let answer: @Sendable (TweakID) throws(TweakError) -> TweakValue?
  let emitter = Emitter<TweakUpdate, Never>()

  init(_ name: String = "CountingProvider", _ answer: @escaping @Sendable (TweakID) throws(TweakError) -> TweakValue?) {
    self.name = name
    self.answer = answer
  }

  func tweak(feature: String, variable: String) throws(TweakError) -> Tweak? {
    asked.modify { $0 += 1 }
    let id = TweakID(feature: feature, variable: variable)
    return try answer(id).map { Tweak(feature: feature, variable: variable, value: $0) }
  }

  func featureState(_ feature: String) -> Bool? {
    featuresAsked.modify { $0 += 1 }
    return true
  }

  var updates: AnySignal<TweakUpdate, Never>? { emitter.eraseToAnySignal() }
}

/// The data of JustTweak's tests and example.
enum Example {
  static let json = """
    {
      "ui_customization": {
        "display_red_view": { "Title": "Display Red View", "Description": "shows a red view", "Group": "UI", "Value": false },
        "display_yellow_view": { "Title": "Display Yellow View", "Group": "UI", "Value": false },
        "display_green_view": { "Title": "Display Green View", "Group": "UI", "Value": true },
        "label_text": { "Title": "Label Text", "Group": "UI", "Value": "Test value" },
        "red_view_alpha_component": { "Title": "Red View Alpha Component", "Group": "UI", "Value": 1.0 }
      },
      "general": {
        "greet_on_app_did_become_active": { "Title": "Greet on app launch", "Group": "General", "Value": false },
        "tap_to_change_color_enabled": { "Title": "Tap to change views color", "Group": "General", "Value": true },
        "answer_to_the_universe": {
          "Title": "Definitive answer", "Description": "Answer to the Ultimate Question of Life, the Universe, and Everything",
          "Group": "General", "Value": 42
        },
        "encrypted_answer_to_the_universe": {
          "Title": "Encrypted definitive answer", "Group": "General", "Value": "24 ton yletinifeD", "Encrypted": true
        }
      }
    }
    """

  static let remote: [String: [String: TweakValue]] = [
    "ui_customization": [
      "display_red_view": true, "display_yellow_view": true, "display_green_view": false,
    ],
    "general": ["greet_on_app_did_become_active": true],
  ]

  static func reversed(_ tweak: Tweak) -> TweakValue {
    .string(String((tweak.stringValue ?? "").reversed()))
  }
}
