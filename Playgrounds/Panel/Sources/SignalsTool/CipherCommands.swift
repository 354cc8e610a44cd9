import ArgumentParser
import Foundation
import Inspector

/// Encrypts or decrypts values of a file of tweaks with a program of the user's choice.
struct Cipher: ParsableArguments {
  @Argument(help: "A file of tweaks in JSON, as an app bundles it.", completion: .file(extensions: ["json"]))
  var file: String

  @Argument(help: "The flags, such as shop/key; to decrypt, by default all that are encrypted.")
  var flags: [String] = []

  @Option(
    name: .customLong("with"),
    help: "A shell command that reads the value from its input and prints the result, such as 'openssl enc …'.")
  var program: String

  @Flag(help: "Print the file that would be written, and change nothing.") var dryRun = false

  /// Replaces the values of the chosen tweaks, and writes the file.
  func apply(encrypting: Bool) throws {
    let url = URL(filePath: file)
    guard case .object(var features) = try InspectedValue(json: try Data(contentsOf: url), name: file) else {
      throw Failure("Can't read \(file): it holds no object of features.", code: 1)
    }
    let wanted = Set(flags)
    var known: Set<String> = []
    var count = 0
    for (feature, variables) in features {
      guard case .object(var variables) = variables else { continue }
      for (name, tweak) in variables where wanted.isEmpty || wanted.contains("\(feature)/\(name)") {
        guard case .object(var tweak) = tweak else { continue }
        known.insert("\(feature)/\(name)")
        let isEncrypted = tweak["Encrypted"] == true
        if isEncrypted == encrypting { continue }
        tweak["Value"] = .string(try converted(tweak["Value"], "\(feature)/\(name)"))
        tweak["Encrypted"] = encrypting ? true : nil
        variables[name] = .object(tweak)
        count += 1
      }
      features[feature] = .object(variables)
    }
    if let missing = wanted.subtracting(known).min() {
      throw Failure("Can't find \(missing): \(file) has no such flag.", code: 2)
    }
    let text = InspectedValue.object(features).fileText
    if dryRun { return print(text, terminator: "") }
    try Data(text.utf8).write(to: url, options: .atomic)
    print("\(encrypting ? "Encrypted" : "Decrypted") \(count) values in \(file).")
  }

  private func converted(_ value: InspectedValue?, _ flag: String) throws -> String {
    guard let text = value?.string else {
      throw Failure("Can't convert \(flag): its value is no text. Store the value as a text.", code: 1)
    }
    let process = Process()
    // A program that does not read its input must not end this one.
    signal(SIGPIPE, SIG_IGN)
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", program]
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    do {
      // A value is short, so the pipe takes it at once.
      try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
      try input.fileHandleForWriting.close()
    } catch {
      // The program ended without reading; its status says whether that is a failure.
    }
    let result = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure("Can't convert \(flag): the program ended with status \(process.terminationStatus).", code: 1)
    }
    guard var converted = String(validating: result, as: UTF8.self) else {
      throw Failure("Can't convert \(flag): the program printed bytes. Add an encoding, such as base64.", code: 1)
    }
    if converted.hasSuffix("\n") { converted.removeLast() }
    return converted
  }
}

extension TweaksCommand {
  struct Encrypt: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Encrypts values of a file of tweaks, and marks them as encrypted.",
      discussion: "Name the flags. An app decrypts the values with its decryption closure.")
    @OptionGroup var cipher: Cipher

    func validate() throws {
      if cipher.flags.isEmpty { throw ValidationError("Name the flags to encrypt.") }
    }

    func run() async throws { try await Failure.reporting { try cipher.apply(encrypting: true) } }
  }

  struct Decrypt: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Decrypts the encrypted values of a file of tweaks, and removes their mark.")
    @OptionGroup var cipher: Cipher

    func run() async throws { try await Failure.reporting { try cipher.apply(encrypting: false) } }
  }
}
