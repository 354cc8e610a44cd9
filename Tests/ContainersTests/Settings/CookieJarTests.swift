import AppGroups
import Foundation
import Signals
import TestSupport
import Testing

@testable import Containers

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Cookie jar", .patient)
struct CookieJarTests {
  let directory: TemporaryDirectory
  let clock = MutableProperty(Date(timeIntervalSinceReferenceDate: 800_000_000))
  private let url: URL

  init() throws {
    directory = try TemporaryDirectory()
    url = try #require(URL(string: "https://www.example.com/shop/cart"))
  }

  private var container: AppGroupsContainer {
    get throws { try AppGroupsContainer(directory: directory.url) }
  }

  private func jar() throws -> CookieJar {
    try CookieJar(container: container) { [clock] in clock.value }
  }

  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  @Test func `cookies are sent only to matching URLs`() throws {
    let jar = try jar()
    try jar.setCookies(
      ["host=1; Path=/", "domain=2; Domain=example.com; Path=/", "path=3", "secure=4; Secure; Path=/"], from: url)
    let cases = [
      "https://www.example.com/shop/cart": "path=3; host=1; domain=2; secure=4",
      "https://www.example.com/shop": "path=3; host=1; domain=2; secure=4",
      "https://www.example.com/shopping": "host=1; domain=2; secure=4",
      "http://WWW.example.com./": "host=1; domain=2",
      "https://example.com/": "domain=2",
      "https://other.example.com/shop/x": "domain=2",
      "https://notexample.com/": "none",
      "https://example.com.evil.org/": "none",
      "wss://www.example.com/shop/": "path=3; host=1; domain=2; secure=4",
    ]
    for (place, header) in cases { #expect(try jar.header(for: url(place)) ?? "none" == header, "\(place)") }
  }

  @Test(arguments: ["inf", "nan", "1e999", "-", "1.5", "0x10"])
  func `an invalid Max-Age is ignored, and can be stored`(age: String) throws {
    let header = ["Set-Cookie": "a=1; Max-Age=\(age)"]
    for cookie in HTTPCookie.cookies(withResponseHeaderFields: header, for: url) {
      let saved = SavedCookie(cookie)
      #expect(saved.expires == nil)
      _ = try JSONEncoder().encode(saved)
    }
    let jar = try jar()
    try jar.setCookies(["b=2; Max-Age=\(age)"], from: url)
    #expect(jar.cookies.value.map(\.expires) == [nil])
  }

  @Test func `a cookie expires when its server says, by Max-Age before Expires`() throws {
    let jar = try jar()
    try jar.setCookies(
      [
        "a=1; Max-Age=60; Expires=Wed, 21 Oct 2099 07:28:00 GMT", "b=2; Expires=Tue, 09 May 2026 14:13:25 GMT", "c=3",
        "d=4; Max-Age=99999999999999999999",
      ], from: url)
    #expect(jar.cookies(for: url).map(\.name) == ["a", "b", "c", "d"])
    clock.value.addTimeInterval(60)
    #expect(jar.cookies(for: url).map(\.name) == ["b", "c", "d"])
    clock.value = Date(timeIntervalSince1970: 1_778_336_005)
    #expect(jar.cookies(for: url).map(\.name) == ["c", "d"])
    try jar.removeExpired()
    #expect(jar.cookies.value.map(\.name) == ["c", "d"])
    try jar.setCookies(["c=; Max-Age=0", "d=; Expires=Thu, 01-Jan-70 00:00:00 GMT"], from: url)
    #expect(jar.cookies.value.isEmpty)
  }

  @Test func `every attribute set by a server survives reopening the file`() throws {
    try jar().setCookies(
      ["sid=a=b\"c\"; Path=/; Domain=.Example.com; Secure; HttpOnly; SameSite=Strict; Max-Age=60"], from: url)
    let cookie = try #require(jar().cookies.value.first)
    let expected = Cookie(
      name: "sid", value: "a=b\"c\"", domain: ".example.com", path: "/", expires: clock.value.addingTimeInterval(60),
      isSecure: true, isHTTPOnly: true, sameSite: .strict, createdAt: clock.value)
    #expect(cookie == expected)
    let files = try FileManager.default.subpathsOfDirectory(atPath: directory.url.path).filter { $0.hasSuffix(".json") }
    #expect(files.count == 1)
    var status = stat()
    #expect(stat(directory.url.appending(path: files[0]).path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test func `a component that would change the meaning of a header stops with an explanation`() async {
    await #expect(processExitsWith: .failure) { _ = Cookie(name: "a", value: "1; admin=1", domain: "example.com") }
    await #expect(processExitsWith: .failure) { _ = Cookie(name: "a", value: "1\r\nX: y", domain: "example.com") }
    await #expect(processExitsWith: .failure) { _ = Cookie(name: "a", value: "1", domain: "https://example.com") }
    await #expect(processExitsWith: .failure) {
      _ = Cookie(name: "a", value: "1", domain: "example.com", path: "account")
    }
  }

  @Test func `requests from other sites carry only permitted cookies`() throws {
    let jar = try jar()
    try jar.setCookies(["s=1; SameSite=Strict", "l=2; SameSite=Lax", "n=3; SameSite=None; Secure", "d=4"], from: url)
    #expect(jar.cookies(for: url).map(\.name) == ["s", "l", "n", "d"])
    #expect(jar.cookies(for: url, isSameSite: false, isNavigation: true).map(\.name) == ["l", "n", "d"])
    #expect(jar.cookies(for: url, isSameSite: false).map(\.name) == ["n"])
  }

  @Test(arguments: [
    "", "=", "a=1; Domain=com", "a=1; Domain=evil.org", "a=1; Domain=other.example.com", "a=\u{7}1",
    "__Secure-a=1", "__Host-a=1; Secure; Path=/; Domain=example.com", "__Host-a=1; Secure", "a=1; SameSite=None",
    "a=" + String(repeating: "x", count: 5000),
  ]) func `cookies that a server may not set are rejected`(header: String) throws {
    let jar = try jar()
    #expect(try jar.setCookies([header], from: url).isEmpty)
    #expect(jar.cookies.value.isEmpty)
  }

  @Test func `a secure cookie is neither set nor replaced without encryption`() throws {
    let (jar, clear) = (try jar(), try url("http://www.example.com/shop/cart"))
    #expect(try jar.setCookies(["a=1; Secure"], from: clear).isEmpty)
    try jar.setCookies(["a=1; Secure"], from: url)
    #expect(try jar.setCookies(["a=2"], from: clear).isEmpty)
    #expect(jar.header(for: url) == "a=1")
  }

  @Test func `numeric addresses are hosts, and never domain suffixes`() throws {
    let (jar, address) = (try jar(), try url("http://10.0.0.1/"))
    try jar.setCookies(["a=1; Domain=10.0.0.1", "b=2"], from: address)
    #expect(try jar.setCookies(["c=3; Domain=0.0.1"], from: address).isEmpty)
    #expect(jar.header(for: address) == "a=1; b=2")
    try jar.setCookies(["d=4; Domain=localhost"], from: url("http://localhost/"))
    #expect(try jar.header(for: url("http://localhost/")) == "d=4")
    #expect(try jar.header(for: url("http://x.localhost/")) == nil)
  }

  @Test func `a replaced cookie keeps its position, and the oldest cookies are evicted`() throws {
    let jar = try jar()
    try jar.setCookies(["a=1"], from: url)
    clock.value.addTimeInterval(1)
    try jar.setCookies(["b=2", "a=3"], from: url)
    #expect(jar.header(for: url) == "a=3; b=2")
    try jar.setCookies((0..<180).map { "c\($0)=0" }, from: url)
    #expect(jar.cookies.value.count == 180)
    #expect(jar.cookies.value.first?.name == "c0")
    try jar.removeAll()
    #expect(jar.header(for: url) == nil)
  }

  @Test func `objects that share a jar lose no cookie`() async throws {
    let jars = try (0..<4).map { _ in try jar() }
    let url = url
    try await onThread {
      withThreads(4) { index in
        for number in 0..<10 {
          do { try jars[index].setCookies(["c\(index)-\(number)=0"], from: url) } catch { Issue.record(error) }
        }
      }
    }
    #expect(try jar().cookies.value.count == 40)
  }

  @Test func `damage to a jar's file is reported, and the cookies stay`() async throws {
    let jar = try jar()
    try jar.setCookies(["a=1"], from: url)
    let failures = jar.failures.recorded()
    let file = try AppGroupsFile<[Cookie]>(name: "cookies.json", initialValue: [], container: container).url
    try Data("no cookies".utf8).write(to: file)
    try await failures.first("that it cannot be read") { if case .undecodable = $0 { true } else { false } }
    #expect(jar.cookies.value.map(\.name) == ["a"])
  }

  @Test func `a jar follows switches of environments`() async throws {
    try await onThread { [directory, url] in
      let app = try AppContainer(home: directory.url.appending(path: "home", directoryHint: .isDirectory))
      let jar = try CookieJar(scope: app.scope)
      try jar.setCookies(["mine=1"], from: url)
      let seen = jar.cookies.map { $0.map(\.name) }.recorded()
      let work = try app.create(name: "Work")
      try app.activate(work)
      #expect(jar.header(for: url) == nil)
      try jar.setCookies(["work=2"], from: url)
      try app.activate(id: Environment.defaultID)
      #expect(jar.header(for: url) == "mine=1")
      #expect(seen.elements == [["mine"], [], ["work"], ["mine"]])
    }
  }
}
