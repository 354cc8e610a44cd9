import Foundation
import StrictJSON
import TweakFormat

/// A change of some tweaks, which a server sends between two complete answers.
public struct TweakPatch: Sendable, Hashable {
  /// The version of the tweaks after the change.
  ///
  /// A patch of the current version or an older one is ignored. If versions are missing in between, the provider
  /// requests all tweaks, and the patch waits for the answer.
  public var version: Int

  /// The tweaks that the patch adds or replaces.
  public var tweaks: [Tweak]

  /// The tweaks that the patch removes.
  public var removed: [TweakID]

  /// A Boolean value that indicates whether the patch contains all tweaks.
  ///
  /// It replaces the values even if versions are missing in between. An older one is ignored like any answer that is
  /// older.
  public var isComplete: Bool

  /// The identifier of the event, with which the next connection continues.
  ///
  /// With `nil`, the next connection continues with the last identifier, and with an empty one it continues with none.
  public var eventID: String?

  /// Creates a patch.
  ///
  /// - Parameters:
  ///   - version: The version of the tweaks after the change.
  ///   - tweaks: The tweaks that the patch adds or replaces.
  ///   - removed: The tweaks that the patch removes.
  ///   - isComplete: A Boolean value that indicates whether the patch contains all tweaks.
  ///   - eventID: The identifier of the event.
  public init(
    version: Int, tweaks: [Tweak] = [], removed: [TweakID] = [], isComplete: Bool = false, eventID: String? = nil
  ) {
    self.version = version
    self.tweaks = tweaks
    self.removed = removed
    self.isComplete = isComplete
    self.eventID = eventID
  }
}

extension TweakPatch {
  /// Decodes a patch from the data of an event.
  ///
  /// ```swift
  /// import Tweaks
  ///
  /// let data = #"{ "version": 8, "tweaks": { "shop": { "limit": { "Value": 30 } } }, "removed": ["shop/old"] }"#
  /// let patch = try TweakPatch(ServerSentEvent(data: data, id: "8"))
  /// print(patch.version, patch.tweaks.count, patch.removed[0].variable)  // Prints "8 1 old"
  /// ```
  ///
  /// The data is a JSON object with these members. All but the version may be missing, and others are ignored.
  ///
  /// - `version`: The version of the tweaks after the change.
  /// - `tweaks`: The tweaks that the patch adds or replaces, in the format of a ``FileTweakProvider``.
  /// - `removed`: The names of removed tweaks, such as `shop/limit`. A slash in a name is `%2F`, and a percent sign
  ///   `%25`.
  /// - `complete`: `true` if `tweaks` has all tweaks.
  ///
  /// - Parameter event: The event; its identifier is the one of the patch.
  /// - Throws: ``TweakRequestFailure/undecodable(reason:)``.
  public init(_ event: ServerSentEvent) throws(TweakRequestFailure) {
    func refuse(_ reason: String) -> TweakRequestFailure {
      .undecodable(reason: "a patch of the stream is not valid: \(reason)")
    }
    let document: JSONNode
    do throws(TextProblem) {
      document = try JSONReader.read(Array(event.data.utf8))
    } catch {
      throw refuse("\(error)")
    }
    guard case .object(let members) = document.content else { throw refuse("it is \(document.kind), not an object") }
    func member(_ name: String) -> JSONNode? { members.first { $0.name == name }?.value }
    guard case .int(let version) = member("version")?.content else { throw refuse("\"version\" is not a whole number") }
    self.init(version: version, eventID: event.id)
    if let node = member("tweaks") {
      // The values are inside of three objects: of the features, of the variables, and of the fields.
      guard let text = node.canonicalText(depth: TweakDocument.maximumDepth + 3) else {
        throw refuse("\"tweaks\" is nested too deeply")
      }
      do throws(TextProblem) {
        tweaks = try TweakFileReader(source: "stream").read(Data(text.utf8)).tweaks.tweaks
      } catch {
        throw refuse("\(error)")
      }
    }
    switch member("removed")?.content {
    case .array(let names):
      for name in names {
        guard case .string(let text) = name.content, let id = TweakName.id(of: text) else {
          throw refuse("\"removed\" has an element that is not a name such as \"shop/limit\"")
        }
        removed.append(id)
      }
    case nil: break
    default: throw refuse("\"removed\" is not a list")
    }
    switch member("complete")?.content {
    case .bool(let isComplete): self.isComplete = isComplete
    case nil: break
    default: throw refuse("\"complete\" is not a Bool")
    }
  }
}
