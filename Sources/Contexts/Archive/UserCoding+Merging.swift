import AppGroups
import Foundation

extension UserCoding {
  /// Merges the server's changes to a user with the changes that other processes made during the renewal.
  ///
  /// The members of the outermost JSON object are compared one by one, and the secret separately. Members that the
  /// server left unchanged keep the values that other processes wrote. If both have changed a member, the server's
  /// value counts.
  ///
  /// - Parameters:
  ///   - renewal: The renewed user, with the user from before the renewal.
  ///   - theirs: The user as archived now.
  /// - Returns: The merged user.
  /// - Throws: The error of encoding or decoding.
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

  /// Returns whether the archived user still has everything that a renewal has replaced, such as the token.
  ///
  /// - Parameters:
  ///   - theirs: The user as archived now.
  ///   - renewal: The renewal.
  /// - Returns: `false` if the session was renewed, or the user has logged in, since the renewal began.
  /// - Throws: The error of encoding.
  func hasRenewedToken(_ theirs: User, of renewal: Renewal<User>) throws -> Bool {
    let (mine, base) = (renewal.user, renewal.attempt.session.user)
    if mine.secret != base.secret, theirs.secret != base.secret { return false }
    let (new, before, now) = (
      try JSONMembers.split(payload(of: mine)), try JSONMembers.split(payload(of: base)),
      try JSONMembers.split(payload(of: theirs))
    )
    return Set(new.keys).union(before.keys).allSatisfy { new[$0] == before[$0] || now[$0] == before[$0] }
  }
}
