import AppGroups
import Foundation
import Signals
import TestSupport
import Testing

@testable import Containers

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Rules of cookies", .patient)
struct CookieRulesTests {
  let directory: TemporaryDirectory
  let jar: CookieJar
  let clock = MutableProperty(Date(timeIntervalSinceReferenceDate: 800_000_000))

  init() throws {
    directory = try TemporaryDirectory()
    jar = try CookieJar(container: AppGroupsContainer(directory: directory.url)) { [clock] in clock.value }
  }

  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  private func sent(to text: String) throws -> String? { try jar.header(for: url(text)) }

  // MARK: Prefixes and secure cookies

  @Test(arguments: [
    "=__Host-sid=evil; Path=/; Domain=example.com", "__Host-sid", "=__Secure-sid=1; Domain=example.com",
    "=__hOsT-sid=1; Secure; Path=/",
  ]) func `a cookie without a name cannot pose as one with a prefix`(header: String) throws {
    for place in ["http://sub.example.com/", "https://sub.example.com/"] {
      #expect(try jar.setCookies([header], from: url(place)).isEmpty)
    }
    #expect(try sent(to: "https://example.com/") == nil)
  }

  @Test func `an unencrypted response of a subdomain cannot overlay a secure cookie`() throws {
    try jar.setCookies(["sid=good; Secure; Domain=example.com; Path=/"], from: url("https://example.com/"))
    for header in ["sid=evil; Domain=example.com", "sid=evil", "sid=evil; Domain=sub.example.com; Path=/account"] {
      #expect(try jar.setCookies([header], from: url("http://sub.example.com/")).isEmpty, "\(header)")
    }
    #expect(try sent(to: "https://sub.example.com/account") == "sid=good")
  }

  @Test func `an unencrypted response of a parent domain cannot overlay a secure cookie`() throws {
    try jar.setCookies(["sid=good; Secure; Path=/"], from: url("https://www.example.com/"))
    #expect(try jar.setCookies(["sid=evil; Domain=example.com"], from: url("http://example.com/")).isEmpty)
    #expect(try !jar.setCookies(["sid=other"], from: url("http://other.example.com/")).isEmpty)
    #expect(try sent(to: "https://www.example.com/") == "sid=good")
  }

  @Test func `a secure cookie refuses only unencrypted ones at its path or below`() throws {
    try jar.setCookies(["a=secure; Secure; Path=/login/"], from: url("https://example.com/"))
    let clear = try url("http://example.com/")
    #expect(try jar.setCookies(["a=1; Path=/login/"], from: clear).isEmpty)
    #expect(try jar.setCookies(["a=2; Path=/login/en"], from: clear).isEmpty)
    #expect(try jar.setCookies(["a=3; Path=/catalog"], from: clear).map(\.value) == ["3"])
    #expect(try jar.setCookies(["a=4; Path=/"], from: clear).map(\.value) == ["4"])
  }

  @Test func `an expired secure cookie refuses nothing`() throws {
    try jar.setCookies(["a=secure; Secure; Path=/; Max-Age=60"], from: url("https://example.com/"))
    clock.value.addTimeInterval(61)
    #expect(try jar.setCookies(["a=1; Path=/"], from: url("http://example.com/")).map(\.value) == ["1"])
  }

  @Test func `unencrypted responses cannot evict secure cookies from a full jar`() throws {
    try jar.setCookies(["kept=1; Secure; Path=/"], from: url("https://www.example.com/"))
    clock.value.addTimeInterval(1)
    for count in [180, 20] {
      try jar.setCookies((0..<count).map { "c\(count)-\($0)=0; Path=/" }, from: url("http://www.example.com/"))
    }
    #expect(jar.cookies.value.count == 180)
    #expect(try sent(to: "https://www.example.com/")?.hasPrefix("kept=1; ") == true)
    for host in 0..<30 {
      try jar.setCookies((0..<150).map { "c\($0)=0" }, from: url("http://h\(host).example.com/"))
    }
    #expect(jar.cookies.value.count == 3000)
    #expect(try sent(to: "https://www.example.com/") == "kept=1")
  }

  @Test(arguments: ["http://localhost:8080/", "http://app.localhost/", "http://127.0.0.1/", "http://[::1]/"])
  func `a server on this machine may use secure cookies without encryption`(text: String) throws {
    #expect(try jar.setCookies(["a=1; Secure"], from: url(text)).map(\.isSecure) == [true])
    #expect(try sent(to: text) == "a=1")
  }

  @Test(arguments: ["http://localhost.example.com/", "http://127.example.com/", "http://128.0.0.1/", "http://[::2]/"])
  func `other hosts may not, however they are named`(text: String) throws {
    #expect(try jar.setCookies(["a=1; Secure"], from: url(text)).isEmpty)
  }

  // MARK: Texts

  @Test(arguments: ["\u{C3}\u{A9}", "\u{E6}\u{97}\u{A5}", "\u{E9}", "é", "日", "\u{85}", "a,b", "\"q;\""])
  func `a value is kept byte by byte, in whatever encoding it was read`(value: String) throws {
    try jar.setCookies(["a=\(value); Path=/"], from: url("https://example.com/"))
    let expected = value.prefix { $0 != ";" }
    #expect(try sent(to: "https://example.com/").map { Array($0.utf8) } == Array("a=\(expected)".utf8))
  }

  @Test func `a combining character does not hide a separator`() throws {
    let page = try url("https://example.com/")
    let cookies = try jar.setCookies(["a=1;\u{301} x; Secure;\u{301}; Path=/", "b=\u{301}2; Path=/"], from: page)
    #expect(cookies.map(\.name) == ["a", "b"])
    #expect(cookies.map(\.isSecure) == [true, false])
    let header = try #require(try sent(to: "https://example.com/"))
    #expect(header.unicodeScalars.elementsEqual("a=1; b=\u{301}2".unicodeScalars))
  }

  @Test func `names that only look equal are different cookies`() throws {
    try jar.setCookies(["e\u{301}=1; Path=/", "\u{E9}=2; Path=/"], from: url("https://example.com/"))
    #expect(jar.cookies.value.map(\.value) == ["1", "2"])
  }

  @Test(arguments: ["a\u{7F}=1", "a=1\u{0}", "a=1\r\nb: 2", "a=1; Path=/\u{1}"])
  func `a control character makes a header invalid`(header: String) throws {
    #expect(try jar.setCookies([header], from: url("https://example.com/")).isEmpty)
  }

  @Test func `a cookie of a forged file is never sent if it would alter the header`() async throws {
    let home = try AppGroupsContainer(directory: directory.url)
    let file = try AppGroupsFile<[Cookie]>(name: "cookies.json", initialValue: [], container: home)
    let good = Cookie(name: "good", value: "1", domain: "example.com")
    let text = try #require(String(data: JSONEncoder().encode([good, good, good]), encoding: .utf8))
    var forged = text
    for value in [#""1; admin=1""#, #""1\r\nX-Key: 2""#] {
      let found = try #require(forged.range(of: #""value":"1""#))
      forged.replaceSubrange(found, with: #""value":\#(value)"#)
    }
    try Data(forged.utf8).write(to: file.url)
    try await jar.cookies.recorded().first("the forged file") { $0.count == 3 }
    #expect(try sent(to: "https://example.com/") == "good=1")
  }

  // MARK: Attributes

  @Test func `a header without an equals sign is a cookie without a name`() throws {
    let page = try url("https://example.com/")
    #expect(try jar.setCookies(["flag; Path=/"], from: page).map(\.value) == ["flag"])
    #expect(try jar.setCookies(["=flag2; Path=/"], from: page).map(\.name) == [""])
    #expect(try sent(to: "https://example.com/") == "flag2")
  }

  @Test func `an invalid attribute counts as missing, also after a valid one`() throws {
    let headers = [
      "a=1; Max-Age=60; Max-Age=soon", "b=2; Expires=Wed, 21 Oct 2099 07:28:00 GMT; Expires=later",
      "c=3; Path=/; Path=\(String(repeating: "/x", count: 600))", "d=4; Expires=Mon, 31 Feb 2099 07:28:00 GMT",
      "e=5; Domain=; Path=/x; Path=x", "f=6; Domain=.", "g=7; Domain=ex\u{E4}mple.com",
    ]
    let cookies = try jar.setCookies(headers, from: url("https://www.example.com/a/b"))
    try #require(cookies.map(\.name) == ["a", "b", "c", "d", "e", "f"])
    #expect(cookies[0].expires == clock.value.addingTimeInterval(60))
    #expect(cookies[1].expires == Date(timeIntervalSince1970: 4_096_250_880))
    #expect(cookies[2].path == "/")
    #expect(cookies[3].expires == nil)
    #expect(cookies[4].isHostOnly && cookies[4].path == "/a")
    #expect(cookies[5].isHostOnly)
  }

  @Test func `an address of the sixth version may name itself as the domain`() throws {
    let page = try url("http://[::1]/")
    #expect(try jar.setCookies(["a=1; Domain=[::1]", "b=2"], from: page).map(\.name) == ["a", "b"])
    #expect(try jar.setCookies(["c=3; Domain=[::2]"], from: page).isEmpty)
    #expect(try sent(to: "http://[::1]/") == "a=1; b=2")
  }

  // MARK: Responses

  @Test func `all cookies of a response are set, also if the client joined their headers`() throws {
    let page = try url("https://example.com/")
    let joined =
      "a=1; Expires=Wed, 21 Oct 2099 07:28:00 GMT; Path=/, b=x,y; Path=/,c=\"3, 4\";Expires=Wed, 21-Oct-2099 07:28:00 GMT, "
      + "d=5"
    let response = try #require(
      HTTPURLResponse(url: page, statusCode: 200, httpVersion: nil, headerFields: ["Set-Cookie": joined]))
    #expect(
      try jar.setCookies(from: response).map { "\($0.name)=\($0.value)" } == ["a=1", "b=x,y", "c=\"3, 4\"", "d=5"])
    let other = try #require(HTTPURLResponse(url: page, statusCode: 200, httpVersion: nil, headerFields: [:]))
    #expect(try jar.setCookies(from: other).isEmpty)
  }
}
