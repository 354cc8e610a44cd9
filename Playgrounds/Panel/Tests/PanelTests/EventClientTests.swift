import Foundation
import Testing

@testable import Inspector
@testable import Panel

/// The events that one browser receives, and the one with which it continues.
@Suite struct EventClientTests {
  private func frame(_ position: Int) -> Frame {
    Frame("change", ["n": position], position: position, change: ("\(position)", 1))
  }

  private func update(_ names: String...) -> StateEvent {
    StateEvent(
      resources: names.map { name in
        InspectedResource(id: "file/\(name)", name: name, .file(InspectedFile(format: .json, editable: false)))
      })
  }

  private func identifiers(_ bytes: [UInt8]) -> [String] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("id: ") }.map(String.init)
  }

  @Test func `a state is sent at once, and the next one of the same resource after a pause`() {
    var client = EventClient(after: EventID(position: 0, moment: 0), statePause: .seconds(1000))
    client.add(update("a"), moment: 1)
    #expect(client.isReady)
    #expect(identifiers(client.take(epoch: "e")) == ["id: e:0:1"])
    client.add(update("a"), moment: 2)
    #expect(!client.isReady && client.isPostponed)
    // Another resource does not wait for it.
    client.add(update("b"), moment: 3)
    #expect(client.isReady)
    #expect(identifiers(client.take(epoch: "e")) == ["id: e:0:1"])
  }

  @Test func `a client that breaks off continues with the states that it has not received`() {
    var client = EventClient(after: EventID(position: 0, moment: 0), statePause: .seconds(1000))
    client.add(update("a"), moment: 1)
    _ = client.take(epoch: "e")
    // The state is postponed, and a change of another resource is sent before it.
    client.add(update("a"), moment: 2)
    client.add(frame(1))
    #expect(identifiers(client.take(epoch: "e")) == ["id: e:1:1"])
  }

  @Test func `a client that does not read gets a count of what it missed`() {
    var client = EventClient(after: EventID(position: 0, moment: 0))
    for position in 1...(EventClient.frameLimit + 10) { client.add(frame(position)) }
    var text = ""
    while client.isReady { text += String(decoding: client.take(epoch: "e"), as: UTF8.self) }
    #expect(text.contains(#""skipped":10"#))
    #expect(text.components(separatedBy: "event: change").count == EventClient.frameLimit + 1)
  }

  @Test func `an identifier of another epoch or in another form is not known`() {
    #expect(EventID("e:3:4", epoch: "e") == EventID(position: 3, moment: 4))
    for text in ["x:3:4", "e:3", "e", "", "e:a:b"] { #expect(EventID(text, epoch: "e") == nil) }
    #expect(EventID(nil, epoch: "e") == nil)
  }
}
