#if canImport(Security)
  public import Foundation
  import Security

  /// A store of secrets in the Keychain, as the generic passwords of one service.
  ///
  /// The secrets can be read after the first unlock since the device was started, and stay on this device. Apps of one
  /// group share them if you pass an access group.
  public struct KeychainSecretStore: SecretStore {
    /// The service that the passwords belong to.
    public let service: String

    /// The access group, if the secrets are shared.
    public let accessGroup: String?

    /// Creates a store of the passwords of a service.
    ///
    /// - Parameters:
    ///   - service: The service. Its passwords that are not secrets of sessions are left alone.
    ///   - accessGroup: The access group, if the secrets are shared.
    public init(service: String, accessGroup: String? = nil) {
      self.service = service
      self.accessGroup = accessGroup
    }

    /// Reads a secret.
    public func read(forKey key: String) throws(SecretStoreError) -> Data? {
      var query = query(key)
      query[kSecReturnData] = true
      query[kSecMatchLimit] = kSecMatchLimitOne
      var result: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &result)
      if status == errSecItemNotFound { return nil }
      try check(status, "read the secret", key)
      return result as? Data
    }

    /// Stores a secret.
    public func write(_ secret: Data, forKey key: String) throws(SecretStoreError) {
      let attributes: [CFString: Any] = [
        kSecValueData: secret, kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
      ]
      let status = SecItemUpdate(query(key) as CFDictionary, attributes as CFDictionary)
      guard status == errSecItemNotFound else { return try check(status, "write the secret", key) }
      let item = query(key).merging(attributes) { $1 }
      try check(SecItemAdd(item as CFDictionary, nil), "write the secret", key)
    }

    /// Removes a secret.
    public func remove(forKey key: String) throws(SecretStoreError) {
      let status = SecItemDelete(query(key) as CFDictionary)
      if status != errSecItemNotFound { try check(status, "remove the secret", key) }
    }

    /// The names of all secrets.
    public func keys() throws(SecretStoreError) -> [String] {
      var query = query(nil)
      query[kSecReturnAttributes] = true
      query[kSecMatchLimit] = kSecMatchLimitAll
      var result: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &result)
      if status == errSecItemNotFound { return [] }
      try check(status, "list the secrets of", service)
      let items = result as? [[CFString: Any]] ?? []
      return items.compactMap { $0[kSecAttrAccount] as? String }
    }

    private func query(_ key: String?) -> [CFString: Any] {
      var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: service]
      query[kSecUseDataProtectionKeychain] = true
      if let key { query[kSecAttrAccount] = key }
      if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
      return query
    }

    private func check(_ status: OSStatus, _ operation: String, _ key: String) throws(SecretStoreError) {
      guard status != errSecSuccess else { return }
      let reason = SecCopyErrorMessageString(status, nil).map { "\($0)" } ?? "Keychain error \(status)"
      throw .system(operation: operation, place: "\(service)/\(key)", reason: reason)
    }
  }
#endif
