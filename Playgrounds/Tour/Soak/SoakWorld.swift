import Foundation
import SignalsKit

/// Everything that the processes of a soak share, as one of them has it open.
struct SoakWorld: Sendable {
  /// A transfer between accounts, which leaves their sum what it is.
  struct Account: StoreModel, Equatable {
    static let table = TableSpec("account")
    static let count = 8
    var id: Int
    var balance: Int
  }

  /// What a worker has written to the log.
  struct Entry: Codable, Sendable {
    var slot: Int
    var number: Int
  }

  /// The environments among which is switched while files are in use.
  static let environments = ["Default", "Night", "Day"]

  let container: AppGroupsContainer
  /// How often each worker has counted.
  let ledger: AppGroupsFile<[Int: Int]>
  let picture: AppGroupsFile<Picture>
  let log: AppGroupsLog<Entry>
  let presence: AppGroupsPresence<Int>
  let database: Database
  let flags: TweakManager
  let app: AppContainer
  /// Which environment it is, and how often each worker has counted in it.
  let name: AppGroupsFile<String>
  let visits: AppGroupsFile<[Int: Int]>

  init(_ directory: URL) throws {
    container = try AppGroupsContainer(directory: directory)
    ledger = try AppGroupsFile(name: "ledger.json", initialValue: [:], container: container)
    picture = try Picture.file(in: container)
    log = try AppGroupsLog(name: "soak", container: container)
    presence = try AppGroupsPresence(name: "workers", container: container)
    let file = directory.appending(path: "accounts.sqlite", directoryHint: .notDirectory)
    database = try Database(.file(file), schema: Schema(version: 1, models: [Account.self]), busyTimeout: .seconds(60))
    flags = TweakManager(providers: [
      SuiteTweakProvider(
        suite: try AppGroupsSuite(name: "flags", container: container, options: .init(durability: .process)))
    ])
    app = try AppContainer(home: directory.appending(path: "environments", directoryHint: .isDirectory))
    name = try AppGroupsFile(name: "name.json", initialValue: "", scope: app.scope)
    visits = try AppGroupsFile(name: "visits.json", initialValue: [:], scope: app.scope)
  }

  /// The flag that a worker sets, and no other.
  static func flag(_ slot: Int) -> TweakKey<Int> { TweakKey("soak", "slot\(slot)", default: 0) }

  /// Puts in place what the workers expect.
  func prepare() async throws {
    try await database.write { transaction in
      for id in 0..<Account.count { try transaction.put(Account(id: id, balance: 1_000)) }
    }
    for name in Self.environments.dropFirst() { try app.create(name: name) }
    for environment in app.environments.value {
      try await app.activate(environment)
      try await name.write(environment.name)
    }
  }

  /// The sum of all accounts, which is always the same.
  func sum() throws -> Int {
    try database.read { try $0.all(Account.ordered { $0.id }) }.map(\.balance).reduce(0, +)
  }
}
