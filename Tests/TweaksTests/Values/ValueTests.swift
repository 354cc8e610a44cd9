import Foundation
import SignalsTesting
import TestSupport
import Testing
import Tweaks

@Suite("Values of tweaks")
struct ValueTests {
  @Test
  func `values are equal if their types and contents are`() {
    #expect(TweakValue.int(1) != .bool(true))
    #expect(TweakValue.int(1) != .double(1))
    #expect(TweakValue.string("1") != .int(1))
    #expect(TweakValue.bool(true) == true)
    #expect(TweakValue.int(42) == 42)
    #expect(TweakValue.double(4.5) == 4.5)
    #expect(TweakValue.string("Hello") == "Hello")
    #expect(TweakValue.string("Hello") != "Goodbye")
  }

  @Test
  func `a value is read only as its own type`() {
    #expect(Bool(tweakValue: TweakValue.bool(true)) == true)
    #expect(Int(tweakValue: TweakValue.bool(true)) == nil)
    #expect(Double(tweakValue: TweakValue.bool(true)) == nil)
    #expect(String(tweakValue: TweakValue.bool(true)) == nil)
    #expect(Bool(tweakValue: TweakValue.int(1)) == nil)
    #expect(Int(tweakValue: TweakValue.double(1)) == nil)
    #expect(Int(tweakValue: TweakValue.double(3.5)) == nil)
    #expect(String(tweakValue: TweakValue.double(3.5)) == nil)
    #expect(Int(tweakValue: TweakValue.string("Hello")) == nil)
    #expect(Bool(tweakValue: TweakValue.string("true")) == nil)
  }

  @Test
  func `an Int is read as a Double or a Float only if that is exact`() {
    #expect(Double(tweakValue: TweakValue.int(42)) == 42)
    #expect(Double(tweakValue: TweakValue.int(9_007_199_254_740_992)) == 9_007_199_254_740_992)
    #expect(Double(tweakValue: TweakValue.int(9_007_199_254_740_993)) == nil)
    #expect(Int(tweakValue: TweakValue.int(9_007_199_254_740_993)) == 9_007_199_254_740_993)
    #expect(Float(tweakValue: TweakValue.int(16_777_216)) == 16_777_216)
    #expect(Float(tweakValue: TweakValue.int(16_777_217)) == nil)
    #expect(Float(tweakValue: TweakValue.double(1e300)) == nil)
    #expect(Float(tweakValue: TweakValue.double(0.1)) == 0.1)
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300, -1e300])
  func `a number out of range is not read as an Int`(number: Double) {
    #expect(Int(tweakValue: TweakValue.double(number)) == nil)
    #expect(Int(tweakValue: TweakValue.string("\(number)")) == nil)
  }

  @Test
  func `a Float is stored without loss`() {
    #expect(Float(0.1).tweakValue == .double(0.1))
    #expect(Float(tweakValue: Float(0.1).tweakValue) == 0.1)
  }

  @Test
  func `texts of the environment are parsed as the requested type`() {
    for text in ["on", "yes", "1", "TRUE", "tRuE"] { #expect(Bool(untyped: text) == true) }
    for text in ["off", "no", "0", "False"] { #expect(Bool(untyped: text) == false) }
    for text in ["maybe", "", "2", " true"] { #expect(Bool(untyped: text) == nil) }
    #expect(Int(untyped: "42") == 42)
    #expect(Int(untyped: "4.2") == nil)
    #expect(Int(untyped: "99999999999999999999") == nil)
    #expect(Double(untyped: "1e3") == 1000.0)
    for text in ["nan", "inf", "1e400", "", "x"] { #expect(Double(untyped: text) == nil) }
    #expect(String(untyped: "1") == "1")
    #expect(TweakValue(untyped: "1") == 1)
    #expect(TweakValue(untyped: "1.0") == 1.0)
    #expect(TweakValue(untyped: "TrUe") == true)
    #expect(TweakValue(untyped: "hello") == "hello")
  }

  enum Theme: String, TweakValueConvertible { case light, dark }
  enum Level: Int, TweakValueConvertible { case low = 1, high }

  @Test
  func `enumerations are read by their raw values`() {
    #expect(Theme(tweakValue: "dark") == .dark)
    #expect(Theme(tweakValue: "blue") == nil)
    #expect(Level(tweakValue: 2) == .high)
    #expect(Level(tweakValue: 2.0) == nil)
    #expect(Theme.dark.tweakValue == "dark")
    #expect(Level(untyped: "1") == .low)
  }

  @Test(arguments: [true, 1, 1.0, "1", -0.0, 9_007_199_254_740_993] as [TweakValue])
  func `an encoded value keeps its type`(value: TweakValue) throws {
    let data = try JSONEncoder().encode(value)
    #expect(try JSONDecoder().decode(TweakValue.self, from: data) == value)
  }

  @Test(arguments: ["1", "{}", #"{"int":1,"bool":true}"#, #"{"int":1.5}"#, #"{"bool":1}"#, #"{"text":"x"}"#])
  func `invalid content is not decoded as a value`(text: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(TweakValue.self, from: Data(text.utf8)) }
  }

  @Test
  func `a tweak has a display title, and equality includes the title`() {
    var tweak = Tweak(feature: "f", variable: "v", value: 3.5)
    #expect(tweak.displayTitle == "f:v")
    let bare = tweak
    tweak.title = "Title"
    #expect(tweak.displayTitle == "Title")
    #expect(tweak != bare)
    #expect(tweak.doubleValue == 3.5)
    #expect(tweak.floatValue == 3.5)
    #expect(tweak.intValue == nil)
    #expect(tweak.boolValue == nil)
    #expect(tweak.stringValue == nil)
  }
}

@Suite("Secrets")
struct SecretTests {
  @Test
  func `no way of printing shows a secret`() {
    let secret = Secret("hunter2")
    var dumped = ""
    dump(secret, to: &dumped)
    for text in ["\(secret)", String(describing: secret), String(reflecting: secret), dumped, "\([secret])"] {
      #expect(!text.contains("hunter2"))
      #expect(text.contains("<redacted>"))
    }
    #expect(secret.value == "hunter2")
  }

  @Test
  func `no way of printing shows a secret tweak, nor do errors and changes`() throws {
    let provider = EphemeralTweakProvider(["f": ["v": "2retnuh"]])
    let manager = TweakManager(providers: [provider, try Fixture().local(encrypted)])
    manager.encryptionClosure = Example.reversed
    manager.decryptionClosure = Example.reversed
    let changes = manager.changes.recorded()
    let failures = manager.failures.recorded()
    let log = MutableLog()
    manager.logClosure = log.closure
    try manager.set("hunter3", feature: "f", variable: "v")
    let tweak = try manager.requiredTweak(feature: "f", variable: "v")
    #expect(tweak.value == "hunter3")
    #expect(manager.value(feature: "f", variable: "v", default: 1) == 1)
    var dumped = ""
    dump(tweak, to: &dumped)
    dump(changes.elements, to: &dumped)
    let texts = [
      "\(tweak)", String(reflecting: tweak), dumped, "\(changes.elements)", "\(failures.elements)",
      "\(manager.trace(feature: "f", variable: "v"))", "\(manager.snapshot())", "\(log.lines)",
    ]
    for text in texts {
      #expect(!text.contains("hunter"))
      #expect(!text.contains("2retnuh"))
    }
    #expect(changes.elements.count == 1)
    #expect(failures.elements.count == 1)
    #expect(!log.lines.isEmpty)
  }

  @Test
  func `a tweak can be read as a secret`() throws {
    let manager = TweakManager(providers: [EphemeralTweakProvider(["f": ["v": "hunter2"]])])
    let secret: Secret<String> = try manager.value(feature: "f", variable: "v")
    #expect(secret == Secret("hunter2"))
    #expect(!"\(secret)".contains("hunter2"))
  }

  private let encrypted = #"{"f": {"v": {"Value": "2retnuh", "Encrypted": true}}}"#
}
