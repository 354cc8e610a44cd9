@testable import AppGroups
import Foundation
import Testing

/// The entries of a directory that changes while it is listed.
@Suite("A listing of segments")
struct SegmentListingTests {
  private let producer = UUID()

  /// Returns the accepted segments if the directory shows these lists in turn, and repeats the last one.
  private func outcome(of listings: [[UInt64]], after start: UInt64?) throws -> (numbers: [UInt64]?, looks: Int) {
    var looks = 0
    let segments = try SegmentListing.withoutPassingGaps(after: start.map { [producer: $0] } ?? [:]) {
      looks += 1
      return [producer: listings[min(looks, listings.count) - 1]]
    }
    return (segments[producer], looks)
  }

  @Test func `a gap between segments makes the listing repeat`() throws {
    let outcome = try outcome(of: [[1, 3], [1, 2, 3]], after: 1)
    #expect(outcome.numbers == [1, 2, 3])
    #expect(outcome.looks == 2)
  }

  @Test func `a missing first segment of an unread producer makes the listing repeat`() throws {
    let outcome = try outcome(of: [[2], [1, 2]], after: nil)
    #expect(outcome.numbers == [1, 2])
  }

  @Test func `a gap after the segment being read makes the listing repeat`() throws {
    let outcome = try outcome(of: [[6], [5, 6, 7]], after: 4)
    #expect(outcome.numbers == [5, 6, 7])
  }

  @Test func `a repeated listing with another gap is repeated again`() throws {
    let outcome = try outcome(of: [[1, 3], [1, 2, 3, 5], [1, 2, 3, 4, 5]], after: 1)
    #expect(outcome.numbers == [1, 2, 3, 4, 5])
    #expect(outcome.looks == 3)
  }

  @Test func `a gap that remains in the next listing is accepted`() throws {
    let outcome = try outcome(of: [[4, 5]], after: 1)
    #expect(outcome.numbers == [4, 5])
    #expect(outcome.looks == 2)
  }

  @Test func `a listing without a gap is accepted at once, and a gap before the last segment read is none`() throws {
    #expect(try outcome(of: [[3, 4]], after: 2).looks == 1)
    #expect(try outcome(of: [[1, 2]], after: nil).looks == 1)
    #expect(try outcome(of: [[1, 7, 8]], after: 6).looks == 1)
    #expect(try outcome(of: [[]], after: nil).looks == 1)
  }
}
