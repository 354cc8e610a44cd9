import Foundation

/// The file of JustTweak's demo, and the output of JustTweak's generator for it.
enum JustTweakExample {
  static let json = """
    {
      "ui_customization": {
        "display_red_view": {
          "Title": "Display Red View",
          "Description": "shows a red view in the main view controller",
          "Group": "UI Customization",
          "Value": false,
          "GeneratedPropertyName": "canShowRedView"
        },
        
        "display_yellow_view": {
          "Title": "Display Yellow View",
          "Description": "shows a yellow view in the main view controller",
          "Group": "UI Customization",
          "Value": false,
          "GeneratedPropertyName": "canShowYellowView"
        },
        "display_green_view": {
          "Title": "Display Green View",
          "Description": "shows a green view in the main view controller",
          "Group": "UI Customization",
          "Value": true,
          "GeneratedPropertyName": "canShowGreenView"
        },
        "red_view_alpha_component": {
          "Title": "Red View Alpha Component",
          "Description": "defines the alpha level of the red view",
          "Group": "UI Customization",
          "Value": 1.0,
          "GeneratedPropertyName": "redViewAlpha"
        },
        "label_text": {
          "Title": "Label Text",
          "Description": "the title of the main label",
          "Group": "UI Customization",
          "Value": "Test value"
        }
      },
      "general": {
        "encrypted_answer_to_the_universe": {
          "Title": "Encrypted definitive answer",
          "Description": "Encrypted answer to the Ultimate Question of Life, the Universe, and Everything",
          "Group": "General",
          "Value": "24 ton yletinifeD",
          "GeneratedPropertyName": "definitiveAnswerEncrypted",
          "Encrypted": true
        },
        "answer_to_the_universe": {
          "Title": "Definitive answer",
          "Description": "Answer to the Ultimate Question of Life, the Universe, and Everything",
          "Group": "General",
          "Value": 42,
          "GeneratedPropertyName": "meaningOfLife"
        },

        "greet_on_app_did_become_active": {
          "Title": "Greet on app launch",
          "Description": "shows an alert on applicationDidBecomeActive",
          "Group": "General",
          "Value": false,
          "GeneratedPropertyName": "shouldShowAlert"
        },
        "tap_to_change_color_enabled": {
          "Title": "Tap to change views color",
          "Description": "change the colour of the main view when receiving a tap",
          "Group": "General",
          "Value": true,
          "GeneratedPropertyName": "isTapGestureToChangeColorEnabled"
        }
      }
    }
    """

  /// The properties of the accessor, in their order.
  static let properties = [
    "canShowGreenView: Bool", "canShowRedView: Bool", "canShowYellowView: Bool", "definitiveAnswerEncrypted: String",
    "isTapGestureToChangeColorEnabled: Bool", "labelText: String", "meaningOfLife: Int", "redViewAlpha: Double",
    "shouldShowAlert: Bool",
  ]

  /// The constants, in their order.
  static let constants = [
    #"general = "general""#, #"uiCustomization = "ui_customization""#,
    #"answerToTheUniverse = "answer_to_the_universe""#, #"displayGreenView = "display_green_view""#,
    #"displayRedView = "display_red_view""#, #"displayYellowView = "display_yellow_view""#,
    #"encryptedAnswerToTheUniverse = "encrypted_answer_to_the_universe""#,
    #"greetOnAppDidBecomeActive = "greet_on_app_did_become_active""#, #"labelText = "label_text""#,
    #"redViewAlphaComponent = "red_view_alpha_component""#,
    #"tapToChangeColorEnabled = "tap_to_change_color_enabled""#,
  ]

  /// Code that uses the accessor.
  ///
  /// The first half uses it as with JustTweak.
  static let user = """
    import Signals
    import Tweaks

    func use(_ tweakManager: TweakManager) throws {
      let accessor = GeneratedTweakAccessor(with: tweakManager)
      if accessor.canShowRedView || !accessor.isTapGestureToChangeColorEnabled { accessor.labelText = "changed" }
      accessor.meaningOfLife += 1
      accessor.redViewAlpha = 0.5
      let answer: String = accessor.definitiveAnswerEncrypted
      _ = try accessor.tweakManager.requiredTweak(
        feature: GeneratedTweakAccessor.Features.general,
        variable: GeneratedTweakAccessor.Variables.answerToTheUniverse
      )
      let observed: Property<Int> = accessor.$meaningOfLife
      let shared: any Sendable = accessor
      let key: TweakKey<Int> = GeneratedTweakAccessor.Keys.meaningOfLife
      try tweakManager.reset(key)
      let isDefault = accessor.redViewAlpha == GeneratedTweakAccessor.Keys.redViewAlpha.defaultValue
      _ = (answer, observed, shared, isDefault)
    }
    """

  static func properties(in accessor: String) -> [String] { parts(of: accessor, after: "@TweakProperty var ") }

  static func constants(in text: String) -> [String] { parts(of: text, after: "static let ") }

  private static func parts(of text: String, after mark: String) -> [String] {
    text.split(separator: "\n").compactMap { line in line.firstRange(of: mark).map { String(line[$0.upperBound...]) } }
  }
}
