import Foundation
import Signals
import Synchronization
import TestSupport
import Testing
@Suite(.patient) struct `Items of an outbox` {
  @Test func `are delivered in the order in which they were added`() {
    let outbox = Outbox<Int>()
    for number in 0..<10 { outbox.add(number) }
    outbox.add(contentsOf: 10..<20)
    var delivered: [Int] = []
    #expect(outbox.deliver { delivered.append($0) })
    #expect(delivered == Array(0..<20))
    #expect(outbox.deliver { _ in Issue.record("An item was delivered twice") })
  }

  @Test func `that are added during a delivery follow all earlier ones, without a deeper stack`() {
    let outbox = Outbox<Int>()
    var delivered: [Int] = []
    var isDelivering = false
    func deliver() -> Bool {
      outbox.deliver { number in
        #expect(!isDelivering)
        isDelivering = true
        delivered.append(number)
        if number < 1000 {
          outbox.add(number + 1000)
          #expect(!deliver())
        }
        isDelivering = false
      }
    }
    outbox.add(contentsOf: 0..<1000)
    #expect(deliver())
    #expect(delivered == Array(0..<2000))
  }

  @Test func `are left to the delivering thread`() {
    let outbox = Outbox<Int>()
    let delivered = Guarded<[Int]>([])
    let (hasBegun, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let end = DispatchGroup()
    end.enter()
    Thread {
      outbox.add(1)
      outbox.deliver { number in
        if number == 1 {
          hasBegun.signal()
          mayGoOn.wait()
        }
        delivered.withLock { $0.append(number) }
      }
      end.leave()
    }.start()
    hasBegun.wait()
    outbox.add(2)
    #expect(!outbox.deliver { _ in Issue.record("Two threads deliver") })
    #expect(delivered.withLock { $0 }.isEmpty)
    mayGoOn.signal()
    end.wait()
    #expect(delivered.withLock { $0 } == [1, 2])
  }

  @Test func `are delivered in the order in which their owner's lock numbered them`() {
    let outbox = Outbox<Int>()
    let count = Guarded(0)
    let delivered = Guarded<[Int]>([])
    let isDelivering = Atomic(false)
    withThreads(4) { _ in
      for _ in 0..<5000 {
        count.withLock { number in
          outbox.add(number)
          number += 1
        }
        outbox.deliver { number in
          if isDelivering.exchange(true, ordering: .acquiringAndReleasing) { Issue.record("Two threads deliver") }
          delivered.withLock { $0.append(number) }
          isDelivering.store(false, ordering: .releasing)
        }
      }
    }
    #expect(delivered.withLock { $0 } == Array(0..<20_000))
  }

  @Test func `may add and deliver items as they are released`() {
    final class Parting: Sendable {
      let outbox: Outbox<Parting>
      let count: Int
      init(_ outbox: Outbox<Parting>, count: Int) { (self.outbox, self.count) = (outbox, count) }
      deinit {
        guard count > 0 else { return }
        outbox.add(Parting(outbox, count: count - 1))
        outbox.deliver { _ in }
      }
    }
    let outbox = Outbox<Parting>()
    outbox.add(Parting(outbox, count: 3))
    var delivered: [Int] = []
    outbox.deliver { delivered.append($0.count) }
    #expect(delivered == [3, 2, 1, 0])
  }

  @Test func `are released after they are removed`() {
    let outbox = Outbox<Witness>()
    weak var witness: Witness?
    do {
      let one = Witness()
      witness = one
      outbox.add(one)
    }
    #expect(witness != nil)
    outbox.removeAll()
    #expect(witness == nil)
    #expect(!outbox.hasWaiting)
  }

  @Test func `are delivered in one batch for each turn taken by an addition`() {
    let outbox = Outbox<Int>()
    #expect(outbox.addTakingTurn(1))
    #expect(!outbox.addTakingTurn(2))
    #expect(!outbox.deliver { _ in Issue.record("The turn was taken twice") })
    var delivered: [Int] = []
    let isMore = outbox.deliverBatch { number in
      delivered.append(number)
      if number == 2 { #expect(!outbox.addTakingTurn(3)) }
    }
    #expect(isMore)
    #expect(delivered == [1, 2])
    #expect(!outbox.deliverBatch { delivered.append($0) })
    #expect(delivered == [1, 2, 3])
    #expect(outbox.addTakingTurn(4))
  }

  private final class Witness: Sendable {}
}

@Suite(.patient) struct `Items of a waiting outbox` {
  @Test func `are all delivered when a call returns, on whichever thread`() {
    let outbox = WaitingOutbox<Int>()
    let delivered = Guarded<[Int]>([])
    let last = Guarded(0)
    withThreads(4) { _ in
      for _ in 0..<2000 {
        let number = last.withLock { number in
          number += 1
          outbox.add(number)
          return number
        }
        outbox.deliver { number in delivered.withLock { $0.append(number) } }
        let isDelivered = delivered.withLock { $0.count >= number && $0[number - 1] == number }
        if !isDelivered { Issue.record("\(number) was not delivered") }
      }
    }
    #expect(delivered.withLock { $0 } == Array(1...8000))
    #expect(outbox.isDelivered)
  }

  @Test func `that are left over are delivered first by the next delivery`() {
    let outbox = WaitingOutbox<Int>()
    var delivered: [Int] = []
    func take(_ number: Int) {
      delivered.append(number)
      guard number == 1 else { return }
      outbox.add(4)
      #expect(!outbox.isDelivered)
      outbox.deliver(take)
      #expect(outbox.isDelivered)
      #expect(delivered == [1, 2, 3, 4])
      outbox.add(5)
    }
    for number in 1...3 { outbox.add(number) }
    #expect(!outbox.isDelivered)
    outbox.deliver(take)
    #expect(delivered == [1, 2, 3, 4, 5])
    #expect(outbox.isDelivered)
  }

  @Test func `count as undelivered for other threads during their delivery`() {
    let outbox = WaitingOutbox<Int>()
    outbox.add(1)
    let (hasBegun, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let end = DispatchGroup()
    end.enter()
    Thread {
      outbox.deliver { _ in
        hasBegun.signal()
        mayGoOn.wait()
      }
      end.leave()
    }.start()
    hasBegun.wait()
    #expect(!outbox.isDelivered)
    mayGoOn.signal()
    outbox.deliver { _ in Issue.record("An item was delivered twice") }
    #expect(outbox.isDelivered)
    end.wait()
  }
}
