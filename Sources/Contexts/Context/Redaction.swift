import Foundation
import Signals

// Descriptions and dumps may end up in a log, so they show only the identity of a user.

extension SessionStatus: CustomStringConvertible, CustomReflectable {
  /// The state, without the user's properties.
  public var description: String {
    let userID = user.map { "user \($0.id.debugDescription)" } ?? "no user"
    return "\(authState), \(activity), \(userID)\(lastError.map { ", last error: \($0)" } ?? "")"
  }

  /// The state, without the user's properties.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "authState": authState, "activity": activity, "lastError": lastError as Any, "userID": user?.id as Any,
        "epoch": epoch,
      ], displayStyle: .struct)
  }
}

extension ArchivedUser: CustomStringConvertible, CustomReflectable {
  /// The identity, without other archived properties.
  public var description: String {
    "ArchivedUser(id: \(id.debugDescription), modelVersion: \(modelVersion), isCurrent: \(isCurrent))"
  }

  /// The identity, without other archived properties.
  public var customMirror: Mirror {
    Mirror(self, children: ["id": id, "modelVersion": modelVersion, "isCurrent": isCurrent], displayStyle: .struct)
  }
}

extension AppContext: CustomStringConvertible, CustomReflectable {
  /// The identity and the state, without the user's properties.
  public var description: String { "AppContext(id: \(id.debugDescription), \(authState.value))" }

  /// The identity and the state, without the user's properties.
  public var customMirror: Mirror { Mirror(self, children: ["id": id, "authState": authState.value]) }
}

extension StandardAppContext: CustomStringConvertible, CustomReflectable {
  /// The root and the state, without the user's properties.
  public var description: String { "StandardAppContext(\(root.path): \(status.value))" }

  /// The root and the state, without the user's properties.
  public var customMirror: Mirror { Mirror(self, children: ["root": root.path, "status": status.value]) }
}
