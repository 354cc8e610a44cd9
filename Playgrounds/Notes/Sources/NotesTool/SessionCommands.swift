import ArgumentParser
import NotesKit
import TokenClient

struct Login: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Logs a user in, in the active environment and in all processes.")
  @Argument(help: "The name of the user.") var name: String
  @OptionGroup var place: Place

  func run() async throws {
    try await place.run { print("Logged in as", try await $0.logIn(name).id) }
  }
}

struct Logout: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Logs the user out, in the active environment and in all processes.")
  @OptionGroup var place: Place

  func run() async throws {
    try await place.run { try await $0.logOut() }
  }
}
