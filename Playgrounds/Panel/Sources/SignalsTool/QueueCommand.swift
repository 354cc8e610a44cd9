import ArgumentParser
import Foundation
import Inspector
import Panel

/// Shows work queues, and maintains their jobs.
struct QueueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queue", abstract: "Shows the work queues of a database, retries a failed job, or cancels a job.",
    subcommands: [List.self, Retry.self, Cancel.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints the number of jobs in each state, and the running and failed ones.")
    @Argument(help: "The database.") var database: String
    @OptionGroup var place: Place

    func run() async throws {
      try await Failure.reporting {
        let resource = try Place.resource(database, in: place.open().value, [.database])
        let queues = resource.details["queues"] ?? .array([])
        if place.json {
          FileHandle.standardOutput.write(try PanelJSON.encode(queues) + Data("\n".utf8))
          return
        }
        guard case .array(let list) = queues, !list.isEmpty else { return print("The database has no jobs.") }
        for queue in list { show(queue) }
      }
    }

    private func show(_ queue: InspectedValue) {
      let states = ["waiting", "delayed", "running", "failed", "finished"]
      let counts = states.compactMap { state in queue["counts"]?[state].map { "\($0) \(state)" } }
      print("\(queue["name"]?.string ?? ""): \(counts.isEmpty ? "empty" : counts.joined(separator: ", "))")
      guard case .array(let jobs)? = queue["jobs"] else { return }
      for job in jobs {
        let words = [
          "  \(job["id"]?.string ?? "")", job["state"]?.string, job["attempt"].map { "attempt \($0)" },
          job["progress"].map { "progress \($0)" }, job["process"]?.string, job["error"]?.string,
        ]
        print(words.compactMap { $0 }.joined(separator: "  "))
      }
    }
  }

  struct Retry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Makes a failed or delayed job wait again.")
    @OptionGroup var job: JobArguments
    @OptionGroup var place: Place

    func run() async throws {
      try await job.perform(in: place) { .retryJob($0, of: $1, in: $2) }
    }
  }

  struct Cancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Removes a job; a worker that has it loses its claim.")
    @OptionGroup var job: JobArguments
    @Flag(help: "Do not ask.") var yes = false
    @OptionGroup var place: Place

    func run() async throws {
      try await job.perform(in: place, asking: yes ? nil : "Cancel the job \(job.id) of \(job.queue)?") {
        .cancelJob($0, of: $1, in: $2)
      }
    }
  }

  /// The arguments that name a job.
  struct JobArguments: ParsableArguments {
    @Argument(help: "The database.") var database: String
    @Argument(help: "The queue.") var queue: String
    @Argument(help: "The number of the job.") var id: Int64
    @Flag(help: "Print what would be done, and change nothing.") var dryRun = false

    func perform(
      in place: Place, asking question: String? = nil, _ request: (Int64, String, String) -> InspectorRequest
    ) async throws {
      try await Failure.reporting {
        let inspector = try place.open(writing: true)
        let database = try Place.resource(database, in: inspector.value, [.database]).id
        if let question, !dryRun { try Confirmation.ask(question, isGiven: false) }
        try await change(request(id, queue, database), inspector, dryRun: dryRun, json: place.json)
      }
    }
  }
}
