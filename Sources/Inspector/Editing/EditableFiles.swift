import AppGroups
import FileSignals
import Foundation

/// The shared files of a group that this process has open, and that can be edited as values of their types.
struct EditableFiles: Sendable {
  private let root: URL

  init(in group: URL) {
    root = Self.canonical(group).map { URL(filePath: $0, directoryHint: .isDirectory) } ?? group
  }

  /// The files by path, relative to the directory of the group.
  ///
  /// If a file is open several times, the first one counts.
  var all: [(path: String, file: any OpenFile)] {
    var known: Set<String> = []
    return Suspensions.shared.members(of: (any OpenFile).self, in: root).compactMap { file in
      guard file.typeOfJSON != nil, let path = path(of: file.url), known.insert(path).inserted else { return nil }
      return (path, file)
    }
  }

  /// Returns the path of a directory without links; `nil` for one that is missing or cannot be examined.
  private static func canonical(_ directory: URL) -> String? {
    do throws(DurableFileError) {
      return try canonicalPath(directory.path)
    } catch {
      return nil
    }
  }

  private func path(of url: URL) -> String? {
    guard let directory = Self.canonical(url.deletingLastPathComponent()) else { return nil }
    let path = directory + "/" + url.lastPathComponent
    guard path.isPath(below: root.path) else { return nil }
    return String(decoding: path.utf8.dropFirst(root.path.utf8.count + 1), as: UTF8.self)
  }

  /// The reason why a change is not made.
  private enum Refusal: Error {
    /// The file has another version.
    case changed
    case because(String)
    /// The change was only to be checked.
    case dry(Data)
  }

  /// Makes a change, unless the content is not a value of the type of the file.
  ///
  /// - Parameters:
  ///   - edit: The change.
  ///   - isWanted: Returns `false` if the inspector has gone. It is called last, with the lock of the file held.
  /// - Returns: The answer for the inspector.
  func perform(_ edit: FileEdit, isWanted: () -> Bool) -> FileEdit.Answer {
    guard let file = all.first(where: { $0.path == edit.path })?.file else { return FileEdit.Answer(result: .unknown) }
    do {
      let content = try Self.perform(edit, on: file, isWanted: isWanted)
      return FileEdit.Answer(result: .done, content: String(decoding: content, as: UTF8.self))
    } catch Refusal.dry(let content) {
      return FileEdit.Answer(result: .done, content: String(decoding: content, as: UTF8.self))
    } catch Refusal.changed {
      return FileEdit.Answer(result: .changed)
    } catch Refusal.because(let reason) {
      return FileEdit.Answer(result: .refused, reason: reason)
    } catch AppGroupsFileError.undecodable(_, let reason) {
      let words = "the new value is not of type \(file.typeOfJSON ?? ""): \(reason)"
      return FileEdit.Answer(result: .refused, reason: words)
    } catch {
      return FileEdit.Answer(result: .refused, reason: "\(error)")
    }
  }

  private static func perform(_ edit: FileEdit, on file: any OpenFile, isWanted: () -> Bool) throws -> Data {
    let new = Data(edit.content.utf8)
    var old = Data()
    return try file.edit { content in
      guard ReadFile.version(of: content) == edit.version else { throw Refusal.changed }
      old = content
      return new
    } check: { stored in
      if let place = try lost(of: new, instead: old, in: stored) {
        throw Refusal.because("the type \(file.typeOfJSON ?? "") has no place for \(place)")
      }
      if edit.isDry { throw Refusal.dry(stored) }
      guard isWanted() else { throw Refusal.because("the inspector does not wait any more") }
    }
  }

  /// Returns the first changed place of a content that its type dropped, because decoders ignore unknown members.
  private static func lost(of new: Data, instead old: Data, in stored: Data) throws -> String? {
    let (wanted, kept) = (try ReadFile.parts(of: new), try ReadFile.parts(of: stored))
    // Migrated content has other members.
    guard wanted.envelope == kept.envelope else { return nil }
    return lost(wanted.value, try ReadFile.parts(of: old).value, kept.value, "")
  }

  private static func lost(
    _ new: InspectedValue, _ old: InspectedValue?, _ stored: InspectedValue, _ path: String
  ) -> String? {
    if new == old { return nil }
    switch (new, stored) {
    case (.object(let members), .object(let kept)):
      for (name, member) in members.sorted(by: { $0.key < $1.key }) where member != old?[name] {
        let place = path + "/" + JSONPointer.escaped(name)
        // Many types omit a member without a value.
        guard let inner = kept[name] else {
          if member == .null { continue }
          return place
        }
        if let lost = lost(member, old?[name], inner, place) { return lost }
      }
      return nil
    case (.array(let elements), .array(let kept)):
      guard elements.count <= kept.count else { return "\(path)/\(kept.count)" }
      for (index, element) in elements.enumerated() {
        let lost = lost(element, old?.value(at: ["\(index)"]), kept[index], "\(path)/\(index)")
        if let lost { return lost }
      }
      return nil
    default: return nil
    }
  }
}
