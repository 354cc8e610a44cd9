import Containers
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Notifications of switches", .patient)
struct NotificationTests {
  @Test func `each switch is posted before and after, with both environments`() async throws {
    let directory = try TemporaryDirectory()
    let center = NotificationCenter()
    let names = [AppContainer.willChangeNotification, AppContainer.didChangeNotification]
    let posted = Recorder<String>()
    let observing = names.enumerated().map { number, name in
      center.signal(for: name) { notification in
        let names = ["from", "to"].map { (notification.userInfo?[$0] as? Environment)?.name ?? "nothing" }
        return ["will", "did"][number] + " \(names[0]) \(names[1])"
      }.sink { posted.record($0) }
    }
    try await onThread {
      let app = try AppContainer(home: directory.url)
      let work = try app.create(name: "Work")
      let posting = app.postNotifications(to: center)
      try app.activate(work)
      posting.cancel()
      try app.activate(id: Environment.defaultID)
    }
    #expect(posted.elements == ["will Default Work", "did Default Work"])
    for subscription in observing { subscription.cancel() }
  }
}
