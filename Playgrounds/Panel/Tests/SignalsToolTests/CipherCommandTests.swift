import Foundation
import Testing
import Tweaks

/// The commands `signals tweaks encrypt` and `signals tweaks decrypt`, as processes of their own.
@Suite(.serialized) final class CipherCommandTests {
  private let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
  private let text = """
    {
      "shop" : {
        "key" : {
          "Title" : "Key",
          "Value" : "abc"
        },
        "other" : {
          "Title" : "Other",
          "Value" : "xyz"
        },
        "ratio" : {
          "Title" : "Ratio",
          "Value" : 1.0
        }
      }
    }

    """

  init() throws { try Data(text.utf8).write(to: file) }

  deinit { do { try FileManager.default.removeItem(at: file) } catch {} }

  private var stored: String { get throws { try String(contentsOf: file, encoding: .utf8) } }

  private func run(_ command: String, _ flags: String..., with program: String, dryRun: Bool = false) throws
    -> ToolWorld.Run
  {
    try ToolWorld.signals(
      ["tweaks", command, file.path] + flags + ["--with", program] + (dryRun ? ["--dry-run"] : []))
  }

  @Test func `a value that the command line encrypts is read by an app, and decrypted again`() throws {
    #expect(try run("encrypt", "shop/key", with: "rev").output == "Encrypted 1 values in \(file.path).\n")
    #expect(try stored.contains("\"cba\"") && stored.contains("\"xyz\"") && stored.contains(": 1.0"))
    let provider = try FileTweakProvider(url: file, isLive: false)
    let manager = TweakManager(providers: [provider])
    #expect(try provider.tweak(feature: "shop", variable: "key")?.isEncrypted == true)
    #expect(try provider.tweak(feature: "shop", variable: "other")?.isEncrypted == false)
    manager.decryptionClosure = { .string(String(($0.stringValue ?? "").reversed())) }
    #expect(manager.value(feature: "shop", variable: "key", default: "") == "abc")
    // What is encrypted is not encrypted twice.
    #expect(try run("encrypt", "shop/key", with: "rev").output == "Encrypted 0 values in \(file.path).\n")
    #expect(try run("decrypt", with: "rev").output == "Decrypted 1 values in \(file.path).\n")
    #expect(try InspectedText(stored) == InspectedText(text))
  }

  @Test func `the cipher commands refuse numbers, unknown flags and failed programs, and then write nothing`() throws {
    let number = try run("encrypt", "shop/ratio", with: "rev")
    #expect(number.status == 1 && number.errors.contains("shop/ratio"))
    let unknown = try run("encrypt", "shop/nothing", with: "rev")
    #expect(unknown.status == 2 && unknown.errors.contains("shop/nothing"))
    #expect(try run("encrypt", with: "rev").status == 64)
    for program in ["exit 3", "no-such-program", "printf '\\377'"] {
      #expect(try run("encrypt", "shop/key", with: program).status == 1, "\(program)")
    }
    let dry = try run("encrypt", "shop/key", with: "rev", dryRun: true)
    #expect(dry.status == 0 && dry.output.contains("\"cba\""))
    #expect(try stored == text)
    try Data("[]".utf8).write(to: file)
    #expect(try run("decrypt", with: "rev").status == 1)
    try Data("{".utf8).write(to: file)
    #expect(try run("decrypt", with: "rev").status == 1)
  }
}

/// The contents of a JSON text, whatever its layout.
private struct InspectedText: Equatable {
  let value: NSDictionary?

  init(_ text: String) throws {
    value = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary
  }
}
