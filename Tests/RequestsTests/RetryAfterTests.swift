import Foundation
import TestSupport
import Testing

@testable import Requests

@Suite("Retry-After", .seeded)
struct RetryAfterTests {
  /// Sunday, 6 November 1994, 08:48:37.
  private let now = Date(timeIntervalSince1970: 784_111_717)

  private func pause(_ text: String) -> Duration? { RetryAfter.pause(text, from: now) }

  @Test
  func `a pause is given in seconds, or until a date in each of the three forms of HTTP`() {
    #expect(pause("120") == .seconds(120))
    #expect(pause(" 0 ") == .zero)
    for date in [
      "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ] {
      #expect(pause(date) == .seconds(60), "\(date)")
    }
    #expect(pause("Wed Nov 16 08:48:37 1994") == .seconds(864_000))
    #expect(pause("Sat Nov  5 08:49:37 1994") == .zero, "a date in the past")
    #expect(pause("Sun, 06 Nov 1994 08:48:60 GMT") == .seconds(23), "a leap second")
  }

  @Test
  func `a number that is too large is a long pause`() {
    #expect(pause("9223372036854775807") == .seconds(Int64.max))
    #expect(pause("99999999999999999999999") == .seconds(Int64.max))
    #expect(pause("Fri, 31 Dec 9999 23:59:59 GMT").map { $0 > .seconds(86_400 * 365 * 8_000) } == true)
  }

  @Test
  func `anything else has no meaning`() {
    for text in [
      "", " ", "soon", "-1", "+5", "1.5", "1e3", "60 s", "１２", "Sun, 06 Nov 1994 08:49:37",
      "Sun, 06 Nov 94 08:49:37 UTC",
      "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
      "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Son, 06 Nov 1994 08:49:37 GMT",
      "Sun, 06 Now 1994 08:49:37 GMT", "Sunday, 06-Nov-994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994 GMT",
      "Sun, 06 Nov 19940 08:49:37 GMT", "Sunday, 06-Nov 08:49:37 GMT", "GMT", "Sun Nov  6 08:49:37",
    ] {
      #expect(pause(text) == nil, "\(text)")
    }
  }

  @Test
  func `a year of two digits is at most 50 years in the future`() throws {
    func year(_ text: String, in current: Int) throws -> Int {
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = .gmt
      let now = try #require(calendar.date(from: DateComponents(year: current, month: 6, day: 15)))
      let date = try #require(HTTPDate.date("Monday, \(text) 00:00:00 GMT", now: now))
      return calendar.component(.year, from: date)
    }
    for (text, current, expected) in [
      ("06-Nov-94", 1994, 1994), ("06-Nov-94", 2026, 1994), ("01-Jan-76", 2026, 2076), ("31-Dec-76", 2026, 1976),
      ("01-Jan-00", 2099, 2100), ("01-Jan-99", 2000, 1999), ("29-Feb-00", 1999, 2000), ("01-Jan-27", 2026, 2027),
    ] {
      #expect(try year(text, in: current) == expected, "\(text) in \(current)")
    }
  }

  @Test
  func `random dates are read in each form`() throws {
    var chance = Chance()
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = .gmt
    for _ in 0..<Scale.count(200, torture: 20_000) {
      let date = now.addingTimeInterval(Double(chance.number(below: 49 * 365 * 86_400)))
      for format in ["EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM d HH:mm:ss yyyy"] {
        formatter.dateFormat = format
        let text = formatter.string(from: date)
        #expect(HTTPDate.date(text, now: now) == date, "\(text)")
      }
    }
  }
}
