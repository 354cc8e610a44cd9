/// A change of a shared file that an inspector asks another process to make, which has the file open.
///
/// It is sent as one line of JSON. The answer is JSON up to the end of the connection. A process makes the change only
/// while the inspector keeps the connection open.
struct FileEdit: Sendable, Codable {
  /// The path of the file, relative to the directory of the group.
  var path: String

  /// The version of the content on which the change is based.
  var version: String

  /// The new content.
  var content: String

  /// A Boolean value that indicates whether to check the change without making it.
  var isDry: Bool

  /// The answer to a change.
  struct Answer: Sendable, Codable {
    enum Result: String, Sendable, Codable {
      /// The change was made, or would be.
      case done
      /// The process does not have the file open.
      case unknown
      /// The file has another version than the one on which the change is based.
      case changed
      /// The content is not a value of the type, or the process cannot write it.
      case refused
    }

    var result: Result

    /// The reason, if the change was refused.
    var reason: String?

    /// The stored content, if the change was made.
    var content: String?
  }

  /// The largest request in bytes: a file of the largest size that the inspector reads, with all quotes escaped.
  static let requestLimit = 4 * ReadFile.limit

  /// The largest answer in bytes.
  static let answerLimit = 2 * requestLimit

  /// The time within which a request must arrive, and an answer be read.
  static let transferLimit = Duration.seconds(1)

  /// The longest time for which an inspector waits for an answer.
  static let answerTimeout = Duration.seconds(5)
}
