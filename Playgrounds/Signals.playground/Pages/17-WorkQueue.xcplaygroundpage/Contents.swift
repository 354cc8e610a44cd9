//: # Work that is shared by workers
//:
//: Jobs in a database, of which each is done by one worker, and whose result is stored once.
//:
//: Run it anywhere with `swift run --package-path Playgrounds 17-WorkQueue`.

import Foundation
import SignalsKit

//: ## Add jobs
//:
//: A queue is a part of a database. A job is any `Codable` value.

struct Build: Codable {
  var number: Int
}

struct Artifact: StoreModel, Equatable {
  static let table = TableSpec("artifact")

  var id: Int
  var size: Int
}

let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
let farm = try Database(
  .file(directory.appending(path: "farm.sqlite")), schema: Schema(version: 1, models: [Artifact.self]))
let builds = WorkQueue<Build>("builds", in: farm, retries: .constant(.zero, limit: 1))

//: The jobs of one transaction are added together or not at all.

try farm.write { transaction in
  for number in 1...3 { try builds.add(Build(number: number), in: transaction) }
}

//: A higher priority comes first. A job with a key is added once while it waits.

try builds.add(Build(number: 4), priority: 1)
let first = try builds.add(Build(number: 5), key: "nightly")
let second = try builds.add(Build(number: 5), key: "nightly")
print(first == second)
// Prints "true"

//: ## Work on them
//:
//: The end of a job and its result are one transaction. A worker that has lost its claim, because it was stopped for
//: too long or the job was cancelled, can write neither.

struct Broken: Error, CustomStringConvertible {
  var description: String { "a test failed" }
}

let worker = Task {
  try await builds.work(upTo: 2) { job in
    if job.value.number == 3 { throw Broken() }
    try await job.finish { try $0.put(Artifact(id: job.value.number, size: 10 * job.value.number)) }
  }
}

//: The number of jobs in each state is a live value.

for await counts in builds.counts.values where counts.unfinished == 0 {
  print(counts)
  break
}
// Prints "1 failed"
print(try farm.read { try $0.all(Query<Artifact>()).map(\.id) })
// Prints "[1, 2, 4, 5]"

//: ## What failed
//:
//: A failed job is kept with its error after the last attempt, until it is retried or cancelled.

for job in builds.jobs(.failed).property(initial: []).value {
  print(job.job?.number ?? 0, job.failureCount, job.error ?? "")
  try builds.cancel(job.id)
}
// Prints "3 2 a test failed"

worker.cancel()
_ = await worker.result
try farm.close()
try FileManager.default.removeItem(at: directory)
