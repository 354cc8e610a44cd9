#if !canImport(Darwin)
  import Foundation
  import FoundationNetworking
  import TestSupport
  import Testing

  @testable import Containers

  @Suite("Switching cookies of Foundation", .patient)
  struct CookieSwitchingTests {
    let world: SettingsWorld
    private let url = "https://www.example.com/a/b"

    init() throws {
      world = try SettingsWorld()
    }

    @Test func `no cookie is visible in another environment, and each returns with all its attributes`() async throws {
      let peer = try world.peer()
      try await peer.send("cookies-take group \(url) sid=1; Path=/; HttpOnly; Secure; Max-Age=3600")
      try await peer.send("switching-cookies \(world.root) group")
      try await peer.send("cookies-take group \(url) plain=2; Domain=example.com")
      let work = try await peer.send("switching-new Work")
      try await peer.send("switching-to \(work)")
      #expect(try await peer.send("cookies-list group") == "")
      try await peer.send("cookies-take group \(url) work=3; Path=/w; Expires=Wed, 21 Oct 2099 07:28:00 GMT")
      try await peer.send("switching-to \(zero)")
      let cookies = "plain=2 .example.com/  open; sid=1 www.example.com/ secure hidden 1h"
      #expect(try await peer.send("cookies-list group") == cookies)
      try await peer.send("switching-to \(work)")
      #expect(try await peer.send("cookies-list group").hasPrefix("work=3 www.example.com/w "))
    }

    @Test func `a second storage of the same name is rejected`() async throws {
      let peer = try world.peer()
      try await peer.send("switching-cookies \(world.root) group")
      try await peer.send("switching-cookies \(world.root) group")
      let refusal = await #expect(throws: (any Error).self) {
        try await peer.send("switching-cookies \(world.root) other")
      }
      #expect("\(try #require(refusal))".contains("another storage already uses this name"))
    }

    @Test func `Secure, HttpOnly and Max-Age survive the process, although Foundation alone loses them`() async throws {
      let peer = try world.peer()
      try await peer.send("switching-cookies \(world.root) group")
      try await peer.send("cookies-take group \(url) sid=1; Path=/; HttpOnly; Secure; Max-Age=3600")
      let work = try await peer.send("switching-new Work")
      try await peer.send("switching-to \(work)")
      try await peer.kill()
      let next = try world.peer()
      try await next.send("switching-cookies \(world.root) group")
      try await next.send("switching-to \(zero)")
      #expect(try await next.send("cookies-list group") == "sid=1 www.example.com/ secure hidden 1h")
    }

    @Test func `a process that missed a switch finds the owner of its cookies`() async throws {
      let peer = try world.peer()
      try await peer.send("switching-cookies \(world.root) group")
      try await peer.send("cookies-take group \(url) sid=1; Path=/; Expires=Wed, 21 Oct 2099 07:28:00 GMT")
      try await peer.kill()
      let app = try AppContainer(home: URL(filePath: world.root, directoryHint: .isDirectory))
      let work = try app.create(name: "Work")
      try await onThread { try app.activate(work) }
      let next = try world.peer()
      #expect(try await next.send("switching-cookies \(world.root) group") == work.id.uuidString)
      #expect(try await next.send("cookies-list group") == "")
      try await next.send("switching-to \(zero)")
      #expect(try await next.send("cookies-list group").hasPrefix("sid=1"))
    }

    @Test func `cookies of a newer version are distinguished from damaged ones, whatever their layout`() async throws {
      let peer = try world.peer()
      try await peer.send("switching-cookies \(world.root) group")
      let work = try await peer.send("switching-new Work")
      let newer = #"{"version": 9, "cookies": {"of": "another shape"}}"#
      try Data(newer.utf8).write(to: world.settings(work, "cookies-shared.json"))
      let failure = await #expect(throws: PeerProcess.Failure.self) { try await peer.send("switching-to \(work)") }
      #expect(failure.map { "\($0)" }?.contains("version 9") == true)
    }

    @Test(arguments: ["mine", "work"])
    func `a process killed while cookies are replaced loses none and leaks none`(prefix: String) async throws {
      let peer = try world.peer()
      try await peer.send("switching-cookies \(world.root) group")
      try await peer.send("cookies-fill group mine 24")
      let work = try await peer.send("switching-new Work")
      try await peer.send("switching-to \(work)")
      try await peer.send("cookies-fill group work 24")
      try await peer.send("switching-to \(zero)")
      // In the middle of the removed cookies, or of the new ones.
      try await peer.send("cookies-crash group \(prefix) 12")
      await #expect(throws: PeerProcess.Failure.self) {
        try await peer.send("switching-to \(work)")
        try await peer.send("switching-to \(zero)")
      }
      let next = try world.peer()
      let active = try await next.send("switching-cookies \(world.root) group")
      for id in [active, active == zero ? work : zero] {
        try await next.send("switching-to \(id)")
        #expect(try await next.send("cookies-count group mine") == (id == zero ? "24" : "0"))
        #expect(try await next.send("cookies-count group work") == (id == zero ? "0" : "24"))
      }
    }

    @Test func `forged cookies neither impersonate another environment's nor inject a header`() async throws {
      let peer = try world.peer()
      try await peer.send("switching-cookies \(world.root) group")
      let (work, victim) = (try await peer.send("switching-new Work"), try await peer.send("switching-new Victim"))
      try await peer.send("switching-to \(victim)")
      try await peer.send("cookies-fill group victim 3")
      try await peer.send("switching-to \(zero)")
      func cookie(_ name: String, _ value: String, _ domain: String, _ path: String) -> String {
        #"{"name":"\#(name)","value":"\#(value)","domain":"\#(domain)","path":"\#(path)","expires":1e10,"#
          + #""isSecure":true,"isHTTPOnly":false,"version":0}"#
      }
      var cookies = (1...20).map { cookie("container", victim, "Container.Signals.invalid", "/\($0)") }
      // Foundation on Linux considers it equal to the mark.
      cookies.append(cookie("container", victim, "container.signals.invali", "d/"))
      cookies.append(cookie("header", #"1\r\nX-Forged: 2"#, "www.example.com", "/"))
      cookies.append(cookie("honest", "3", "www.example.com", "/"))
      let text = #"{"version":1,"cookies":[\#(cookies.joined(separator: ","))]}"#
      try Data(text.utf8).write(to: world.settings(work, "cookies-shared.json"))
      try await peer.send("switching-to \(work)")
      #expect(try await peer.send("cookies-count group honest") == "1")
      #expect(try await peer.send("cookies-count group header") == "0")
      #expect(try await peer.send("cookies-count group container") == "1")
      try await peer.kill()
      let next = try world.peer()
      try await next.send("switching-cookies \(world.root) group")
      #expect(try await next.send("cookies-count group honest") == "1")
      try await next.send("switching-to \(victim)")
      #expect(try await next.send("cookies-count group victim") == "3")
      #expect(try await next.send("cookies-count group honest") == "0")
    }

    @Test func `cookies that could not follow another process still belong to their environment`() async throws {
      let (first, second) = (try world.peer(), try world.peer())
      try await first.send("switching \(world.root) suite")
      try await second.send("switching-cookies \(world.root) group")
      try await second.send("cookies-fill group mine 3")
      let (work, other) = (try await first.send("switching-new Work"), try await first.send("switching-new Other"))
      let newer = Data(#"{"version": 9, "cookies": []}"#.utf8)
      try newer.write(to: world.settings(work, "cookies-shared.json"))
      try await first.send("switching-to \(work)")
      try await second.send("switching-to \(other)")
      #expect(try Data(contentsOf: world.settings(work, "cookies-shared.json")) == newer)
      #expect(try await second.send("cookies-count group mine") == "0")
      try await second.send("switching-to \(zero)")
      #expect(try await second.send("cookies-count group mine") == "3")
    }

    @Test func `the file with the cookies of an environment is private to its owner`() async throws {
      let peer = try world.peer()
      try await peer.send("switching-cookies \(world.root) group")
      try await peer.send("switching-to \(peer.send("switching-new Work"))")
      var status = stat()
      #expect(stat(world.settings(zero, "cookies-shared.json").path, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
    }
  }
#endif
