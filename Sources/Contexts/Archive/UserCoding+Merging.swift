import AppGroups
import Foundation

extension UserCoding {
  /// Joins what the server has changed of a user with what others have changed meanwhile.
  ///
  /// What is encoded is compared by the names of the outermost object, and the secret by itself. What the server handed
  /// back as it got it is as the others have made it; where both have changed something, the server decides.
  ///
  /// - Parameters:
  ///   - renewal: What the server has made, and of what.
  ///   - theirs: The user as archived by now.
  /// - Returns: The user with both.
  /// - Throws: Why the two cannot be joined.
  func merge(_ renewal: Renewal<User>, into theirs: User) throws -> User {
    let (mine, base) = (renewal.user, renewal.attempt.session.user)
    let (archived, old) = (try payload(of: theirs), try payload(of: base))
    let isSecretKept = mine.secret == base.secret
    if archived == old, !isSecretKept || theirs.secret == base.secret { return mine }
    let (new, before, now) = (
      try JSONMembers.split(payload(of: mine)), try JSONMembers.split(old), try JSONMembers.split(archived)
    )
    var members = now
    for name in Set(new.keys).union(before.keys) where new[name] != before[name] { members[name] = new[name] }
    var user = try JSONDecoder().decode(User.self, from: JSONMembers.join(members))
    user.secret = isSecretKept ? theirs.secret : mine.secret
    return user
  }
}
