extension SessionVault {
  // MARK: The history

  /// All archived users, whoever is logged in.
  func users() throws(ContextError) -> [ArchivedUser<User>] {
    let contents = try caught("read") { try locked { try read() } }
    return contents.users.map { record in
      var open = record
      open.secretKey = nil
      return ArchivedUser(
        id: record.id, modelVersion: record.version, isCurrent: record.id == contents.currentID,
        user: Result { () throws(ContextError) in record.payload.isEmpty ? nil : try coding.user(of: open) })
    }
  }

  /// Removes users, while nobody can log in; none, if one of them cannot be purged.
  ///
  /// - Parameters:
  ///   - revision: The newest revision that is known.
  ///   - choose: Is given who is archived and who is logged in, and says who is to be removed.
  ///   - purge: Removes what else there is of a user.
  /// - Returns: Who was chosen, and the revision that the archive has then, if it has changed.
  /// - Throws: What `choose` or `purge` threw, or why the archive cannot be used.
  func removeUsers(
    after revision: Int, choose: (_ archived: [String], _ current: String?) throws -> [String],
    purge: (String) throws -> Void
  ) throws(ContextError) -> (chosen: [String], revision: Int?) {
    try caught("write") {
      try locked {
        var contents = try read()
        let oldKeys = contents.secretKeys
        let chosen = try choose(contents.users.map(\.id), contents.currentID)
        // Whoever cannot be purged stays in the archive, so that it can be tried again.
        for id in chosen { try purge(id) }
        guard contents.users.contains(where: { chosen.contains($0.id) }) else { return (chosen, nil) }
        contents.users.removeAll { chosen.contains($0.id) }
        contents.revision = max(contents.revision, revision) + 1
        try archive.write(contents)
        sweep(contents, replaced: oldKeys)
        return (chosen, contents.revision)
      }
    }
  }
}
