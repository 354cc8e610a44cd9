import Signals
import TestSupport
import Testing

@Suite("An observed value", .patient)
struct ObservedTests {
  struct Player {
    @Observed var volume = 5
  }

  final class Model {
    @Observed var count = 0
  }

  @MainActor final class View {
    @Observed var title = "a"
    var shown = ""
    var subscription: SignalSubscription?
  }

  actor Account {
    @Observed var balance = 0

    func deposit(_ amount: Int) -> Property<Int> {
      balance += amount
      return $balance
    }
  }

  final class Target: Sendable {
    let values = Log<Int>()
    var value: Int {
      get { values.entries.last ?? 0 }
      set { values.add(newValue) }
    }
  }

  @Test func `a wrapped variable reads, writes and sends`() {
    let player = Player()
    let seen = Log<Int>()
    let subscription = player.$volume.sink { seen.add($0) }
    player.volume = 6
    player.volume += 1
    #expect(player.volume == 7)
    #expect(seen.entries == [5, 6, 7])
    subscription.cancel()
  }

  @Test func `copies of a structure share the property`() {
    let player = Player()
    let copy = player
    copy.volume = 9
    #expect(player.volume == 9)
  }

  @Test func `a class may wrap variables and pass them to other threads`() {
    let model = Model()
    let count = model.$count
    withThreads(4) { _ in
      for _ in 0..<1_000 { count.modify { $0 += 1 } }
    }
    #expect(model.count == 4_000)
  }

  @Test func `an actor may wrap variables and share the property`() async {
    let account = Account()
    let balance = await account.deposit(10)
    #expect(balance.value == 10)
    #expect(await account.balance == 10)
  }

  @Test @MainActor func `a class on the main actor may wrap variables`() {
    let view = View()
    view.title = "b"
    #expect(view.$title.value == "b")
  }

  @Test func `assign writes every value, and stops when the object is released`() {
    let source = MutableProperty(1)
    let values: Log<Int>
    let subscription: SignalSubscription
    do {
      let target = Target()
      values = target.values
      subscription = source.assign(to: \.value, onWeak: target)
      source.value = 2
    }
    source.value = 3
    #expect(values.entries == [1, 2])
    subscription.cancel()
  }

  @Test func `assign does not retain the object`() {
    let source = Emitter<Int, Never>()
    weak var object: Target?
    let subscription: SignalSubscription
    do {
      let target = Target()
      object = target
      subscription = source.assign(to: \.value, onWeak: target)
    }
    #expect(object == nil)
    subscription.cancel()
  }

  @Test @MainActor func `assign to an object on the main actor writes there, in order`() async {
    let view = View()
    let source = MutableProperty("a")
    let recorder = source.receive(on: MainActor.shared).filter { $0 == "c" }
    view.subscription = source.assign(on: MainActor.shared, to: \.shown, onWeak: view)
    async let end = recorder.first()
    source.value = "b"
    source.value = "c"
    _ = await end
    while view.shown != "c" { await Task.yield() }
    #expect(view.shown == "c")
  }
}
