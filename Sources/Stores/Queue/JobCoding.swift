import AppGroups
import Foundation

/// The notation of jobs: compact JSON.
enum JobCoding {
  static func encode(_ job: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(job), as: UTF8.self)
  }

  static func decode<Job: Decodable>(_ type: Job.Type, from text: String) throws -> Job {
    try JSONDecoder().decode(type, from: Data(text.utf8))
  }
}
