package import Foundation

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

/// The dates of HTTP, in all three forms that RFC 9110 requires a recipient to read.
enum HTTPDate {
  /// Returns the date of a text such as `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or
  /// `Sun Nov  6 08:49:37 1994`.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - now: The current date, by which a year of two digits gets its century: it is at most 50 years in the future.
  /// - Returns: The date, or `nil` if the text is none.
  static func date(_ text: String, now: Date) -> Date? {
    let words = text.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ",") }.map { String($0) ?? "" }
    let fields: [String]
    switch words.count {
    case 6 where words[5] == "GMT": fields = [words[1], words[2], words[3], words[4]]
    case 4 where words[3] == "GMT": fields = words[1].split(separator: "-").map(String.init) + [words[2]]
    case 5: fields = [words[2], words[1], words[4], words[3]]
    default: return nil
    }
    guard fields.count == 4, days.contains(String(words[0].prefix(3))), let month = months.firstIndex(of: fields[1]),
      let day = number(fields[0]), let year = number(fields[2]), let time = seconds(fields[3])
    else { return nil }
    func date(_ year: Int) -> Date? { instant(year: year, month: month + 1, day: day, time: time) }
    guard fields[2].utf8.count == 2 else { return fields[2].utf8.count == 4 ? date(year) : nil }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    guard let horizon = calendar.date(byAdding: .year, value: 50, to: now) else { return nil }
    let century = calendar.component(.year, from: now) / 100 * 100
    for candidate in [century + 100 + year, century + year, century - 100 + year] {
      if let date = date(candidate), date <= horizon { return date }
    }
    return nil
  }

  private static let days: Set<String> = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Returns the number of a text of digits, at most four.
  private static func number(_ text: some StringProtocol) -> Int? {
    guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }

  /// Returns the seconds of a time of day, such as `08:49:37`; the last second may be a leap second.
  private static func seconds(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { number($0) }
    guard parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2],
      hour < 24, minute < 60, second <= 60
    else { return nil }
    return hour * 3_600 + minute * 60 + second
  }

  private static func instant(year: Int, month: Int, day: Int, time: Int) -> Date? {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = DateComponents(year: year, month: month, day: day)
    guard let start = calendar.date(from: parts), calendar.component(.day, from: start) == day else { return nil }
    return start.addingTimeInterval(Double(time))
  }
}

/// The field `Retry-After` of a response.
package enum RetryAfter {
  /// Returns the pause that a server asks for, in seconds or until a date.
  ///
  /// - Parameters:
  ///   - text: The value of the field.
  ///   - now: The current date.
  /// - Returns: The pause, which is not negative, or `nil` if the text has no meaning.
  package static func pause(_ text: String, from now: Date) -> Duration? {
    let text = text.trimmingCharacters(in: .whitespaces)
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // A number that is too large is a long pause, and not none.
      return .seconds(Int64(text) ?? .max)
    }
    return HTTPDate.date(text, now: now).map { .seconds(max(0, $0.timeIntervalSince(now))) }
  }
}

extension HTTPURLResponse {
  /// The pause that the server asks for with `Retry-After`, or `nil` if it asks for none.
  package var retryAfter: Duration? {
    value(forHTTPHeaderField: "Retry-After").flatMap { RetryAfter.pause($0, from: Date()) }
  }
}
