import Signals
import TestSupport
import Testing

@Suite("An observed value")
struct ObservedTests {
  private struct Player {
    @Observed var volume = 5
    @Observed var title: String?
  }

  private final class Model {
    @Observed var names: [String]

    init(_ names: [String]) {
      self.names = names
    }
  }

  @MainActor private final class Screen {
    @Observed var brightness = 1.0
  }

  @Test func `reads, writes and sends`() {
    let player = Player()
    let log = Log<Int>()
    let subscription = player.$volume.sink { log.add($0) }
    player.volume = 6
    player.volume += 1
    player.$volume.modify { $0 *= 2 }
    #expect(player.volume == 14)
    #expect(log.entries == [5, 6, 7, 14])
    #expect(player.title == nil)
    withExtendedLifetime(subscription) {}
  }

  @Test func `inside a subscriber the value is the new one`() {
    let model = Model([])
    let log = Log<Bool>()
    let subscription = model.$names.changes.sink { [names = model.$names] in log.add(names.value == $0) }
    model.names = ["Ada"]
    model.names.append("Grace")
    #expect(log.entries == [true, true])
    withExtendedLifetime(subscription) {}
  }

  @Test func `copies of a structure share the property`() {
    let player = Player()
    let copy = player
    copy.volume = 9
    #expect(player.volume == 9)
  }

  @Test func `works in a class of the main actor`() async {
    let value = await MainActor.run {
      let screen = Screen()
      screen.brightness = 0.5
      return screen.$brightness.value
    }
    #expect(value == 0.5)
  }

  @Test func `assigns to an object without keeping it`() {
    let level = MutableProperty(1)
    let released = Counter()
    var copy: MutableProperty<Int>? = MutableProperty(0)
    let watching = copy?.sink(receiveCompletion: { _ in released.add() }, receiveValue: { _ in })
    let subscription = copy.map { level.assign(to: \.value, onWeak: $0) }
    level.value = 2
    #expect(copy?.value == 2)
    copy = nil
    #expect(released.value == 1)
    level.value = 3
    withExtendedLifetime((subscription, watching)) {}
  }
}
