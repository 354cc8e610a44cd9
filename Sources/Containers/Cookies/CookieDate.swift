import Foundation

/// Reads the dates of cookies, which servers write in many forms, by the rules of RFC 6265.
enum CookieDate {
  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

  /// Returns the date in a string; `nil` if there is none.
  static func date(_ text: String) -> Date? {
    var (time, day, month, year): ([Int]?, Int?, Int?, Int?)
    for word in text.split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == ":") }) {
      if time == nil, let found = Self.time(word) {
        time = found
      } else if day == nil, let number = Int(word), word.count <= 2 {
        day = number
      } else if month == nil, let index = months.firstIndex(of: word.prefix(3).lowercased()) {
        month = index + 1
      } else if year == nil, let number = Int(word), word.count == 4 || word.count == 2 {
        year = word.count == 4 ? number : number + (number < 70 ? 2000 : 1900)
      }
    }
    guard let time, let day, let month, let year, (1...31).contains(day), year >= 1601,
      time[0] < 24, time[1] < 60, time[2] < 60
    else { return nil }
    let days = Self.days(year, month, day)
    return Date(timeIntervalSince1970: Double(days * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]))
  }

  /// The number of seconds in a `Max-Age` attribute; `nil` if it is invalid, which counts as missing.
  static func lifetime(_ text: String) -> Double? {
    let isNegative = text.first == "-"
    let digits = text.dropFirst(isNegative ? 1 : 0)
    guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
    // Ten thousand years are enough, and fit into a date that can be stored.
    return isNegative ? 0 : min(Double(digits) ?? 0, 3.2e11)
  }

  private static func time(_ word: Substring) -> [Int]? {
    let parts = word.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { $0.count <= 2 ? Int($0) : nil }
    return parts.count == 3 && numbers.count == 3 ? numbers : nil
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
