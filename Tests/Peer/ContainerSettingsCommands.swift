import CLibrary
import Containers
import Foundation
import Signals
import SignalsTesting
import Synchronization
import Tweaks

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Settings switched with environments: Foundation's user defaults and cookies, which are separate in each process.
///
/// The suite `-` is the standard suite, and the group `-` has the shared cookies.
///
/// - `switching ROOT SUITES`: open the root and switch the suites, which are separated by commas
/// - `switching-standard CHOICE`: open the standard container, whose settings are switched unless it is `files`, and
///   answer its directory
/// - `switching-cookies ROOT GROUP`: open the root and switch the cookies of the group
/// - `switching-new NAME`, `switching-to UUID`, `switching-copy UUID`, `switching-clean UUID`: change the root
/// - `switching-crash STEP`: kill this process at a step of the next change
/// - `switching-refuse`: add settings that fail to load once
/// - `defaults-set SUITE KEY TEXT`, `defaults-get SUITE KEY`, `defaults-keys SUITE`, `defaults-sync SUITE`: use a suite
/// - `defaults-fill SUITE`, `defaults-types SUITE`: set values of all types, and list them with their types
/// - `flags-open SUITE`: read flags from a switched suite, and follow one of them
/// - `flags-set TEXT`, `flags-values`: set it, and list its values so far, separated by commas
/// - `cookies-take GROUP URL HEADER`, `cookies-list GROUP`: use cookies
/// - `cookies-fill GROUP PREFIX N`, `cookies-count GROUP PREFIX`: set N cookies with a prefix, and count them
/// - `cookies-crash GROUP PREFIX N`: kill this process as soon as their count reaches N, from either side
final class ContainerSettingsCommands: CommandFamily {
  private var opened: AppContainer?
  private var flags: (manager: TweakManager, values: Recorder<String>)?

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "switching":
      let arguments = try command.arguments(2)
      let app = try openEnvironments(of: URL(filePath: arguments[0], directoryHint: .isDirectory))
      opened = app
      try app.switchDefaults(arguments[1].split(separator: ",").map { $0 == "-" ? .standard : .named(String($0)) })
      return app.active.value.id.uuidString
    case "switching-standard":
      let app = try command.argument() == "files" ? .openStandard(switchesSettings: false) : AppContainer.standard
      opened = app
      return app.home.path
    case "switching-cookies":
      let arguments = try command.arguments(2)
      let app = try openEnvironments(of: URL(filePath: arguments[0], directoryHint: .isDirectory))
      opened = app
      try app.switchCookies(of: storage(arguments[1]))
      return app.active.value.id.uuidString
    case "switching-new": return try app().create(name: command.argument()).id.uuidString
    case "switching-copy": return try app().clone(id: command.identifier()).id.uuidString
    case "switching-to": try app().activate(id: command.identifier())
    case "switching-clean": try app().clean(id: command.identifier())
    case "switching-crash":
      let step = try command.argument()
      try app().onStep { if "\($0)" == step { kill(getpid(), SIGKILL) } }
    case "switching-refuse": try app().add(Refusing())
    default: return try performCookies(command)
    }
    return ""
  }

  private func performCookies(_ command: Command) throws -> String? {
    switch command.word {
    case "cookies-take":
      let arguments = try command.arguments(3)
      guard let url = URL(string: arguments[1]) else { throw CommandError(description: "\(arguments[1]) is no URL") }
      let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": arguments[2]], for: url)
      for cookie in cookies { storage(arguments[0]).setCookie(cookie) }
    case "cookies-list": return try cookies(storage(command.argument()))
    case "cookies-fill":
      let arguments = try command.arguments(3)
      for index in 0..<(try command.number(arguments[2])) {
        let properties: [HTTPCookiePropertyKey: Any] = [
          .name: "\(arguments[1])\(index)", .value: "\(index)", .domain: "www.example.com", .path: "/",
          .expires: Date.distantFuture,
        ]
        if let cookie = HTTPCookie(properties: properties) { storage(arguments[0]).setCookie(cookie) }
      }
    case "cookies-count":
      let arguments = try command.arguments(2)
      return "\(count(arguments[1], storage(arguments[0])))"
    case "cookies-crash":
      let arguments = try command.arguments(3)
      let (storage, prefix, limit) = try (storage(arguments[0]), arguments[1], command.number(arguments[2]))
      let isMore = count(prefix, storage) > limit
      Thread {
        while (count(prefix, storage) > limit) == isMore { sched_yield() }
        kill(getpid(), SIGKILL)
      }.start()
    default: return try performDefaults(command)
    }
    return ""
  }

  private func performDefaults(_ command: Command) throws -> String? {
    switch command.word {
    case "defaults-set":
      let arguments = try command.arguments(3)
      try suite(arguments[0]).set(arguments[2], forKey: arguments[1])
    case "defaults-get":
      let arguments = try command.arguments(2)
      return try suite(arguments[0]).string(forKey: arguments[1]) ?? "nothing"
    case "defaults-keys":
      let name = try command.argument()
      let volatile = [UserDefaults.registrationDomain, UserDefaults.argumentDomain]
      let defaults = try suite(name)
      let other = Set(volatile.flatMap { defaults.volatileDomain(forName: $0).keys })
      let known = ["color", "b", "pending", "theme", "size", "late", "first", "org.signals.container"]
      return known.filter { defaults.object(forKey: $0) != nil && !other.contains($0) }.joined(separator: ",")
    case "defaults-sync":
      guard try suite(command.argument()).synchronize() else { throw CommandError(description: "not synchronized") }
    case "defaults-fill": try fill(suite(command.argument()))
    case "flags-open":
      let provider = try UserDefaultsTweakProvider(
        userDefaults: suite(command.argument()), migrating: [], scope: app().scope)
      let manager = TweakManager(providers: [provider])
      flags = (manager, manager.property(for: TweakKey("general", "color", default: "nothing")).recorded())
    case "flags-set":
      try flags?.manager.set(.string(command.argument()), feature: "general", variable: "color")
    case "flags-values": return flags?.values.elements.joined(separator: ",")
    case "defaults-types": return try types(suite(command.argument()))
    default: return nil
    }
    return ""
  }

  private func app() throws -> AppContainer {
    guard let opened else { throw CommandError(description: "no root is open") }
    return opened
  }

  private func suite(_ name: String) throws -> UserDefaults {
    if name == "-" { return .standard }
    guard let defaults = UserDefaults(suiteName: name) else { throw CommandError(description: "no suite \(name)") }
    return defaults
  }

  private func fill(_ defaults: UserDefaults) {
    defaults.set(true, forKey: "bool")
    defaults.set(1, forKey: "int")
    defaults.set(Int.min, forKey: "min")
    defaults.set(1.0, forKey: "double")
    defaults.set(Float(0.1), forKey: "float")
    defaults.set("", forKey: "text")
    defaults.set(Data([0, 255]), forKey: "data")
    defaults.set(Date(timeIntervalSinceReferenceDate: 86_400), forKey: "date")
    defaults.set([1, "x", [true]] as [Any], forKey: "array")
    defaults.set(["a": 1.5, "b.c": ["d": false]] as [String: Any], forKey: "dictionary")
    defaults.set("dot", forKey: "a.plist.key")
  }

  private func types(_ defaults: UserDefaults) throws -> String {
    let date = (defaults.object(forKey: "date") as? Date)?.timeIntervalSinceReferenceDate
    let array = defaults.array(forKey: "array") ?? []
    let inner = (defaults.dictionary(forKey: "dictionary")?["b.c"] as? [String: Any])?["d"]
    let values: [Any?] = [
      defaults.object(forKey: "bool") as? Bool, defaults.object(forKey: "int") as? Int,
      defaults.object(forKey: "min") as? Int, defaults.object(forKey: "double") as? Double,
      defaults.float(forKey: "float"), defaults.string(forKey: "text"), defaults.data(forKey: "data").map(Array.init),
      date,
      array.count, array.first as? Int, (array.last as? [Any])?.first as? Bool, inner as? Bool,
      defaults.string(forKey: "a.plist.key"),
    ]
    return values.map { $0.map { "\($0)" } ?? "nothing" }.joined(separator: " ")
  }

  private func storage(_ group: String) -> HTTPCookieStorage {
    group == "-" ? .shared : .sharedCookieStorage(forGroupContainerIdentifier: group)
  }

  private func cookies(_ storage: HTTPCookieStorage) -> String {
    let cookies = (storage.cookies ?? []).filter { !$0.domain.hasSuffix(".invalid") }
    return cookies.map { cookie in
      let end = cookie.expiresDate.map { "\(Int(($0.timeIntervalSinceNow / 3600).rounded()))h" } ?? "open"
      let flags = "\(cookie.isSecure ? "secure" : "")\(cookie.isHTTPOnly ? " hidden" : "")"
      return "\(cookie.name)=\(cookie.value) \(cookie.domain)\(cookie.path) \(flags) \(end)"
    }.sorted().joined(separator: "; ")
  }
}

/// The number of cookies whose names begin with a prefix.
private func count(_ prefix: String, _ storage: HTTPCookieStorage) -> Int {
  (storage.cookies ?? []).count { $0.name.hasPrefix(prefix) }
}

/// Settings that fail to load once, after the settings added before have been loaded.
private final class Refusing: EnvironmentSettings {
  struct Refusal: Error {}

  let name = "Refusing"
  private let hasRefused = Atomic(false)

  func flush(into directory: URL) throws {}

  func load(from directory: URL) throws {
    if !hasRefused.exchange(true, ordering: .relaxed) { throw Refusal() }
  }
}
