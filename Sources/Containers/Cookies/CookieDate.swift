import Foundation

/// Reads the dates of cookies, which servers write in many forms, by the rules of RFC 6265.
enum CookieDate {
  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

  /// Returns the date in a string; `nil` if there is none.
  static func date(_ text: String) -> Date? {
    var (time, day, month, year): ([Int]?, Int?, Int?, Int?)
    for word in text.utf8.split(whereSeparator: isDelimiter) {
      if time == nil, let found = Self.time(word) {
        time = found
      } else if day == nil, let number = Self.number(word, 1...2) {
        day = number
      } else if month == nil, let index = months.firstIndex(of: String(Substring(word.prefix(3))).lowercased()) {
        month = index + 1
      } else if year == nil, let number = Self.number(word, 2...4) {
        year = number < 70 ? number + 2000 : number < 100 ? number + 1900 : number
      }
    }
    guard let time, let day, let month, let year, year >= 1601, (1...length(year, month)).contains(day),
      time[0] < 24, time[1] < 60, time[2] < 60
    else { return nil }
    let days = Self.days(year, month, day)
    return Date(timeIntervalSince1970: Double(days * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]))
  }

  /// The number of seconds in a `Max-Age` attribute; `nil` if it is invalid, which counts as missing.
  static func lifetime(_ text: String) -> Double? {
    let isNegative = text.utf8.first == UInt8(ascii: "-")
    let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
    guard !digits.isEmpty, digits.allSatisfy(isDigit), let seconds = Double(String(Substring(digits))) else {
      return nil
    }
    // Ten thousand years are enough, and fit into a date that can be stored.
    return isNegative ? 0 : min(seconds, 3.2e11)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  /// Returns the number at the beginning of a word; `nil` if it does not have as many digits.
  private static func number(_ word: Substring.UTF8View, _ count: ClosedRange<Int>) -> Int? {
    let digits = word.prefix(while: isDigit)
    return count.contains(digits.count) ? Int(Substring(digits)) : nil
  }

  private static func time(_ word: Substring.UTF8View) -> [Int]? {
    let parts = word.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].allSatisfy(isDigit), parts[1].allSatisfy(isDigit) else { return nil }
    let numbers = parts.compactMap { number($0, 1...2) }
    return numbers.count == 3 ? numbers : nil
  }

  /// The number of days of a month.
  private static func length(_ year: Int, _ month: Int) -> Int {
    month == 12 ? 31 : days(year, month + 1, 1) - days(year, month, 1)
  }

  /// The number of days from 1 January 1970 to a day of the Gregorian calendar.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    // Years begin in March, so that a leap day is the last day of its year.
    let years = month > 2 ? year : year - 1
    let era = years / 400
    let ofEra = years - era * 400
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
  }
}
