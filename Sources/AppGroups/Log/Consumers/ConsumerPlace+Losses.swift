import CLibrary
import FileSignals
import Foundation

/// The note of events that were removed before a consumer received them.
extension ConsumerPlace {
  /// Leaves a note that events were removed before the consumer received them.
  func leaveLossNote(of loss: LogLoss) throws(AppGroupsLogError) {
    do throws(DurableFileError) {
      try removeStray(Self.lossSuffix)
      try write(Data(loss.word.utf8), to: Self.lossSuffix)
    } catch {
      throw .file(error, to: "trim", of: place.url)
    }
  }

  /// The reason in the note of lost events, which stays; `nil` if there is no note.
  ///
  /// Even an unreadable note shows that events were lost.
  var lossNote: LogLoss? {
    get throws(AppGroupsLogError) {
      guard try status(Self.lossSuffix)?.kind == .regular else { return nil }
      return tolerating(else: .sizeLimit) {
        let data = try DurableFile.read(path(Self.lossSuffix), in: place.base, limit: 64, of: file(Self.lossSuffix))
        return String(decoding: data, as: UTF8.self) == LogLoss.absence.word ? .absence : .sizeLimit
      }
    }
  }

  /// Returns the reason in the note of lost events, and removes the note.
  func takeLossNote() throws(AppGroupsLogError) -> LogLoss? {
    guard let loss = try lossNote else { return nil }
    unlinkat(place.base, path(Self.lossSuffix), 0)
    return loss
  }
}

extension LogLoss {
  /// The word that represents the reason in a file.
  var word: String {
    switch self {
    case .sizeLimit: "sizeLimit"
    case .absence: "absence"
    }
  }
}
