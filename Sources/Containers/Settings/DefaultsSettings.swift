import AppGroups
import FileSignals
import Foundation

/// Switches suites of `UserDefaults` together with an environment's files.
///
/// While their environment is active, the values are in the system's storage, and otherwise in a file of the
/// environment. One value names the environment. After a crash, or a switch during which this process did not run, it
/// shows where the values belong.
struct DefaultsSettings: EnvironmentSettings {
  /// The key whose value in each suite names the environment of the other values.
  static let ownerKey = "org.signals.container"

  private static let fileName = "user-defaults.plist"
  private static let version = 1

  let name: String
  private let domains: [DefaultsDomain]

  init(_ suites: [DefaultsSuite]) throws(AppContainerError) {
    var domains: [DefaultsDomain] = []
    for suite in suites where !domains.contains(where: { $0.suite == suite }) {
      domains.append(try DefaultsDomain(suite))
    }
    self.domains = domains
    name = "User defaults (" + domains.map(\.title).sorted().joined(separator: ", ") + ")"
  }

  func begin(in directory: URL) throws {
    for domain in domains {
      try domain.synchronize()
      let values = domain.values()
      let owner = values[Self.ownerKey] as? String
      if let owner, owner != SettingsDirectory.owner(of: directory) {
        // The values belong to another environment. Save them there if it still exists.
        if let other = try SettingsDirectory.existing(of: owner, beside: directory) { try write([domain], into: other) }
        try load([domain], from: directory)
      } else if owner == nil {
        // The values have never been switched, so they belong to the active environment.
        let saved = try Self.read(Self.file(in: directory))[domain.key] ?? [:]
        let all = saved.merging(values) { $1 }
        let mark = [Self.ownerKey: SettingsDirectory.owner(of: directory)]
        try domain.replace(by: all.merging(mark) { $1 }, endingWith: Self.ownerKey)
      }
    }
  }

  func flush(into directory: URL) throws {
    for domain in domains { try domain.synchronize() }
    let places = try Dictionary(grouping: domains) { domain in
      try SettingsDirectory.place(of: domain.string(forKey: Self.ownerKey), insteadOf: directory)
    }
    for (place, domains) in places { if let place { try write(domains, into: place) } }
  }

  func load(from directory: URL) throws {
    try load(domains, from: directory)
  }

  func resume(in directory: URL) throws {
    for domain in domains {
      // This process or another one may have loaded the values of another environment.
      let owners = try [domain.string(forKey: Self.ownerKey), domain.storedValues()[Self.ownerKey] as? String]
      if owners.contains(where: { $0 != nil && $0 != SettingsDirectory.owner(of: directory) }) {
        try load([domain], from: directory)
      }
    }
  }

  func follow(from old: URL, to new: URL) throws {
    for domain in domains {
      // The process that switched has loaded these values, and may have set others since.
      let stored = try domain.storedValues()
      let owner = stored[Self.ownerKey] as? String ?? SettingsDirectory.owner(of: old)
      if owner == SettingsDirectory.owner(of: new) {
        try domain.replace(by: stored, endingWith: Self.ownerKey)
      } else {
        // The switching process does not know this suite, so this process saves the values of the old environment.
        if let other = try SettingsDirectory.existing(of: owner, beside: new) {
          try domain.synchronize()
          try write([domain], into: other)
        }
        try load([domain], from: new)
      }
    }
  }

  // MARK: The file

  private func write(_ domains: [DefaultsDomain], into directory: URL) throws {
    let url = Self.file(in: directory)
    // The values of suites that are no longer switched stay in the file.
    var suites = try Self.read(url)
    for domain in domains {
      var values = domain.values()
      values[Self.ownerKey] = nil
      suites[domain.key] = values
    }
    try Self.write(suites, into: directory)
  }

  /// Returns the key of a domain, whose values may belong to this program's standard suite.
  static func key(ofDomain name: String) -> String {
    let standard = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    return name == standard ? "standard \(name)" : "suite \(name)"
  }

  /// Writes the values of suites, by their keys.
  ///
  /// - Parameters:
  ///   - suites: The values.
  ///   - directory: The metadata directory of an environment.
  /// - Throws: ``AppContainerError/settingsFailed(_:reason:)`` if the values could not be read again, or
  ///   `DurableFileError`. The file is then unchanged.
  static func write(_ suites: [String: [String: Any]], into directory: URL) throws {
    for (suite, values) in suites {
      for (key, value) in values where !isValue(value) {
        let reason = "the value of \(key.debugDescription) cannot be stored"
        throw AppContainerError.settingsFailed("The user defaults \(suite.debugDescription)", reason: reason)
      }
    }
    let name = "The user defaults " + suites.keys.sorted().map(\.debugDescription).joined(separator: ", ")
    let data = try translating(encoded(suites)) { (error: any Error) in
      AppContainerError.settingsFailed(name, reason: "their list could not be read again: \(error)")
    }
    try SettingsDirectory.write(data, to: file(in: directory), of: name)
  }

  private static func encoded(_ suites: [String: [String: Any]]) throws -> Data {
    let contents: [String: Any] = ["version": version, "suites": suites]
    // The binary form, because the other one rounds dates to seconds.
    let data = try PropertyListSerialization.data(fromPropertyList: contents, format: .binary, options: 0)
    try UntrustedPropertyList.check(data)
    return data
  }

  private func load(_ domains: [DefaultsDomain], from directory: URL) throws {
    let suites = try Self.read(Self.file(in: directory))
    for domain in domains {
      var values = suites[domain.key] ?? [:]
      values[Self.ownerKey] = SettingsDirectory.owner(of: directory)
      // The process may end before all values are set. On Apple's systems, each value is sent at once.
      domain.set(SettingsDirectory.unowned, forKey: Self.ownerKey)
      try domain.replace(by: values, endingWith: Self.ownerKey)
    }
  }

  private static func read(_ url: URL) throws -> [String: [String: Any]] {
    guard let data = try SettingsDirectory.contents(of: url) else { return [:] }
    return try translating(suites(in: data)) { (error: any Error) in
      // The values beyond a limit may be those of a user, so they are not called damaged.
      error is UntrustedPropertyList.Refusal
        ? AppContainerError.settingsFailed(url.path, reason: "\(error)") : AppContainerError(undecodable: url, error)
    }
  }

  /// Reads the suites without `Codable`, because values of any kind are kept unchanged.
  private static func suites(in data: Data) throws -> [String: [String: Any]] {
    // No version of this package has written another form.
    guard data.starts(with: UntrustedPropertyList.binaryMark) else { throw Damage() }
    let root = try UntrustedPropertyList.dictionary(in: data)
    guard let version = root?["version"] as? Int else { throw Damage() }
    try FileVersionError.check(version, reads: Self.version...Self.version)
    guard let suites = root?["suites"] as? [String: [String: Any]], isValue(suites) else { throw Damage() }
    return suites
  }

  /// The error for a property list that does not have the expected structure.
  private struct Damage: Error {}

  /// Returns whether `UserDefaults` accepts a value.
  ///
  /// Foundation ends the process for other values, and an archive may contain them. On Linux, it also does so for a
  /// date that is not a number. After an infinite date, it can read none of the suite's values any more.
  private static func isValue(_ value: Any) -> Bool {
    var rest = [value]
    while let value = rest.popLast() {
      switch value {
      case is String, is NSNumber, is Data: continue
      case let date as Date: guard date.timeIntervalSinceReferenceDate.isFinite else { return false }
      case let values as [Any]: rest += values
      case let values as [String: Any]: rest += values.values
      default: return false
      }
    }
    return true
  }

  private static func file(in directory: URL) -> URL {
    directory.appending(path: fileName, directoryHint: .notDirectory)
  }
}

/// A set of values in `UserDefaults`.
@nonexhaustive
public enum DefaultsSuite: Hashable, Sendable {
  /// The values of `UserDefaults.standard`.
  case standard

  /// The values of `UserDefaults(suiteName:)`.
  case named(String)
}
