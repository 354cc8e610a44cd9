import Configuration
import Foundation
import Tweaks

extension TweakID {
  /// Creates the name for a key, or `nil` if the key has only one component.
  init?(_ key: AbsoluteConfigKey) {
    guard key.components.count > 1, let variable = key.components.last else { return nil }
    self.init(feature: key.components.dropLast().joined(separator: "."), variable: variable)
  }

  /// The key for the name.
  var configKey: AbsoluteConfigKey {
    AbsoluteConfigKey(feature.split(separator: ".").map(String.init) + [variable])
  }
}

extension AbsoluteConfigKey {
  var encoded: String { components.joined(separator: ".") }
}

extension LookupResult {
  init(_ tweak: Tweak?, _ key: AbsoluteConfigKey, _ type: ConfigType) throws {
    self.init(encodedKey: key.encoded, value: nil)
    guard let tweak else { return }
    value = try ConfigValue(tweak.content(type), isSecret: tweak.isSecret)
  }
}

extension Tweak {
  fileprivate func content(_ type: ConfigType) throws -> ConfigContent {
    switch type {
    case .string: .string(try value(as: String.self))
    case .int: .int(try value(as: Int.self))
    case .double: .double(try value(as: Double.self))
    case .bool: .bool(try value(as: Bool.self))
    case .stringArray: .stringArray(try value(as: [String].self))
    case .intArray: .intArray(try value(as: [Int].self))
    case .doubleArray: .doubleArray(try value(as: [Double].self))
    case .boolArray: .boolArray(try value(as: [Bool].self))
    case .bytes, .byteChunkArray:
      throw TweakError.notSupported(id, provider: source ?? "unknown", reason: "bytes are no tweak")
    }
  }
}

extension TweakValue {
  /// Creates the value of a tweak, or throws an error for bytes.
  init(_ content: ConfigContent, of id: TweakID, provider: String) throws(TweakError) {
    switch content {
    case .string(let value): self = .string(value)
    case .int(let value): self = .int(value)
    case .double(let value): self = .double(value)
    case .bool(let value): self = .bool(value)
    case .stringArray(let value): self = value.tweakValue
    case .intArray(let value): self = value.tweakValue
    case .doubleArray(let value): self = value.tweakValue
    case .boolArray(let value): self = value.tweakValue
    case .bytes, .byteChunkArray:
      throw .notSupported(id, provider: provider, reason: "bytes are no tweak")
    }
  }
}

extension ConfigContent {
  var isList: Bool {
    switch self {
    case .stringArray, .intArray, .doubleArray, .boolArray: true
    default: false
    }
  }
}
