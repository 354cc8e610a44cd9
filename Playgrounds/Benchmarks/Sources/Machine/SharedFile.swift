package import AppGroups
package import Foundation
import Signals

/// Opens the file that the processes of a benchmark share.
package func sharedFile(in directory: URL) throws -> AppGroupsFile<Payload> {
  try AppGroupsFile(
    name: "value.json", initialValue: Payload(count: 0), container: AppGroupsContainer(directory: directory)
  )
}

/// Answers each value of the shared file.
package func answerSharedValues(in directory: URL) throws {
  let file = try sharedFile(in: directory)
  let subscription = file.sink { send(Message(number: $0.count), to: STDOUT_FILENO) }
  while receive(from: STDIN_FILENO) != nil {}
  withExtendedLifetime(subscription) {}
}
