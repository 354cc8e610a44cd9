import AppGroups
import Foundation
import TestSupport

/// Tests with a file of MMKV, from which a suite adopts values.
protocol MMKVTests {
  var fixture: Fixture { get }
  var suite: AppGroupsSuite { get }
}

extension MMKVTests {
  var file: URL { fixture.directory.url.appending(path: "mmkv.default") }

  var header: URL { fixture.directory.url.appending(path: "mmkv.default.crc") }

  func adopt(_ content: MMKVContent, _ keys: [String: any (Codable & Sendable).Type]) throws -> SuiteAdoption {
    try content.write(to: file)
    return try suite.adopt(fromMMKV: file, keys: keys)
  }
}
