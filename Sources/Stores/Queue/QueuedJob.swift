public import Foundation

/// A job of a ``WorkQueue``, as one read found it.
public struct QueuedJob<Job: Codable & Sendable>: Sendable, Identifiable {
  /// The identifier of the job, which no other job of the database ever has.
  public let id: Int64

  /// The job, or `nil` if its content cannot be decoded, for example because a newer program has added it.
  public let job: Job?

  /// The state of the job.
  public let state: JobState

  /// The priority; jobs with a higher one are claimed first.
  public let priority: Int

  /// The key by which an equal job is recognized while this one waits.
  public let key: String?

  /// The time from which the job may be claimed; `nil` if it is not ``JobState/delayed``.
  public let date: Date?

  /// The number of times that the job has been claimed.
  public let attempt: Int

  /// The number of attempts that failed, or whose process ended.
  public let failureCount: Int

  /// The error of the last attempt that failed.
  public let error: String?

  /// The progress that the worker has reported, from 0 to 1.
  public let progress: Double?

  /// The time when the job was added.
  public let added: Date

  /// The time when the job was last added, claimed, returned or ended.
  public let changed: Date
}

extension QueuedJob: Equatable where Job: Equatable {}

/// The state of a job in a ``WorkQueue``.
@nonexhaustive
public enum JobState: Int64, Hashable, Sendable, CaseIterable {
  /// It can be claimed.
  case waiting

  /// It can be claimed from a date on, because it was added so, or because an attempt has failed.
  case delayed

  /// A worker has claimed it.
  case running

  /// Its last attempt has failed. It stays until it is retried or removed.
  case failed

  /// It is done. It stays for the time that the queue keeps finished jobs.
  case finished
}

/// The number of jobs of a ``WorkQueue`` in each state.
public struct JobCounts: Hashable, Sendable {
  private var counts: [JobState: Int] = [:]

  /// The number of jobs in a state.
  ///
  /// - Parameter state: The state.
  public internal(set) subscript(state: JobState) -> Int {
    get { counts[state] ?? 0 }
    set { counts[state] = newValue }
  }

  /// The number of jobs that are not finished or failed.
  public var unfinished: Int { self[.waiting] + self[.delayed] + self[.running] }
}

extension JobCounts: CustomStringConvertible {
  /// The states with their numbers, such as `3 waiting, 1 running`.
  public var description: String {
    let parts = JobState.allCases.filter { self[$0] > 0 }.map { "\(self[$0]) \($0)" }
    return parts.isEmpty ? "empty" : parts.joined(separator: ", ")
  }
}

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
