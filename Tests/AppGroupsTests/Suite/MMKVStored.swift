import Foundation

/// Files that MMKV 2.4.2 wrote on Linux, without the zeros behind their content.
struct MMKVStored {
  let file: Data
  let header: Data

  private init(file: String, header: String) {
    self.file = Self.page(file)
    self.header = Self.page(header)
  }

  private static func page(_ text: String) -> Data {
    let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data()
    return data + Data(count: 4096 - data.count)
  }

  /// Writes both files.
  func write(to url: URL) throws {
    try file.write(to: url)
    try header.write(to: URL(filePath: url.path + ".crc"))
  }

  /// A value of each type, in the mode for several processes.
  static let plain = MMKVStored(
    file: """
      AAAAAIapl3ADeWVzAQEFc21hbGwK+f//////////AQh1bnNpZ25lZAr///////////8BBWZsb2F0BAAAAD8GZG91YmxlCJqZmZmZmbk/BHRleHQI
      B8OpIPCfp7UHbm90aGluZwEABGRhdGEEAwD/BwRsaXN0BAMBYQAEZ29uZQEBBGdvbmUABWNvdW50AQEFY291bnQCrAI=
      """,
    header: """
      VH8bPQQAAAABAAAAAAAAAAAAAAAAAAAAAAAAAJQAAAAEAAAA9T3aUQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
      AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==
      """)

  /// The same, and two more: `past` expired in 2020, and `future` expires in 2106.
  static let expiring = MMKVStored(
    file: """
      AAAAAIapl3ADeWVzBQEAAAAABXNtYWxsDvn//////////wEAAAAACHVuc2lnbmVkDv///////////wEAAAAABWZsb2F0CAAAAD8AAAAABmRvdWJs
      ZQyamZmZmZm5PwAAAAAEdGV4dAwHw6kg8J+ntQAAAAAHbm90aGluZwUAAAAAAARkYXRhCAMA/wcAAAAABGxpc3QIAwFhAAAAAAAEZ29uZQUBAAAA
      AARnb25lAAVjb3VudAUBAAAAAAVjb3VudAasAgAAAAAEcGFzdAgDb2xkARBeXwZmdXR1cmUIA25ld/////8=
      """,
    header: """
      okl+xQQAAAACAAAAAAAAAAAAAAAAAAAAAAAAAOIAAAAEAAAA9T3aUQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
      AAAAAAAAAAAAAAAAAAAAAAAAAAABAAAAAAAAAA==
      """)

  /// `yes` and `text`, encrypted.
  static let encrypted = MMKVStored(
    file: """
      AAAAAMt/wvAdzO6DmPgA/S6D0GUlsSofhQ==
      """,
    header: """
      49pCJAQAAAABAAAAPiR7+JLr40aHesUscLe6mxUAAAAEAAAApt7UmwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
      AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==
      """)

  /// `yes` and `text`, from which the encryption was removed.
  static let decrypted = MMKVStored(
    file: """
      AAAAAIapl3AEdGV4dAUEdGV4dAN5ZXMBAQ==
      """,
    header: """
      RX8YTAQAAAACAAAArQvwqu0VJcHD5LmvJpKgfRUAAAAVAAAARX8YTAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
      AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==
      """)
}
