import Containers
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Notifications of switches")
struct NotificationTests {
  @Test func `each switch is posted before and after, with both containers`() async throws {
    let directory = try TemporaryDirectory()
    let center = NotificationCenter()
    let names = [AppContainer.containerWillChangeNotification, AppContainer.containerDidChangeNotification]
    let posted = Recorder<String>()
    let observing = names.enumerated().map { number, name in
      center.signal(for: name) { notification in
        let containers = ["from", "to"].map { (notification.userInfo?[$0] as? Container)?.name ?? "nothing" }
        return ["will", "did"][number] + " \(containers[0]) \(containers[1])"
      }.sink { posted.record($0) }
    }
    try await onThread {
      let app = try AppContainer(home: directory.url)
      let work = try app.createNewContainer(name: "Work")
      let posting = app.postNotifications(to: center)
      try app.activate(container: work)
      posting.cancel()
      try app.activateContainer(uuid: Container.defaultUUID)
    }
    #expect(posted.elements == ["will Default Work", "did Default Work"])
    for subscription in observing { subscription.cancel() }
  }
}
