import AppGroups
import Contexts
import Foundation

#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

/// Returns a seal with the cipher ChaCha20-Poly1305.
func sealing(
  _ name: String, _ key: SymmetricKey, older: [String: SymmetricKey] = [:], adoptsPlain: Bool = false
) -> FileSeal {
  FileSeal(name, key: key, older: older, adoptsPlain: adoptsPlain) { plain, header, key in
    try ChaChaPoly.seal(plain, using: key, authenticating: header).combined
  } open: { sealed, header, key in
    try ChaChaPoly.open(ChaChaPoly.SealedBox(combined: sealed), using: key, authenticating: header)
  }
}

let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
let container = try AppGroupsContainer(directory: directory)
// A program gets its keys from a keychain, from a service, or from a file that only its user can read.
let (oldKey, newKey) = (SymmetricKey(size: .bits256), SymmetricKey(size: .bits256))
let seal = sealing("2025", oldKey)

let token = try AppGroupsFile(
  name: "token", initialValue: "", container: container, format: .json.sealed(by: seal))
try token.write("a confidential token")
print(try Data(contentsOf: token.url).range(of: Data("confidential".utf8)) == nil)  // Prints "true"

let settings = try AppGroupsSuite(name: "settings", container: container, seal: seal)
try settings.set("ada@example.com", forKey: "address")

let secrets = FileSecretStore(directory: directory.appending(path: "secrets"), seal: seal)
try secrets.write(Data("a password".utf8), forKey: "mail")

let rotated = sealing("2026", newKey, older: ["2025": oldKey])
let renewed = try AppGroupsFile(
  name: "token", initialValue: "", container: container, format: .json.sealed(by: rotated))
print(renewed.value)  // Prints "a confidential token"
try renewed.update { _ in }  // It is sealed with the key 2026 from here on.
try AppGroupsSuite(name: "settings", container: container, seal: rotated).update { _ in }
let opened = FileSecretStore(directory: directory.appending(path: "secrets"), seal: rotated)
if let password = try opened.read(forKey: "mail") { try opened.write(password, forKey: "mail") }
print(try Data(contentsOf: settings.url).range(of: Data("2026".utf8)) != nil)  // Prints "true"

do {
  let late = try AppGroupsFile(
    name: "token", initialValue: "", container: container, format: .json.sealed(by: seal))
  try late.write("another token")
} catch AppGroupsFileError.unknownKey(_, let key) {
  print("sealed with the key \(key)")  // Prints "sealed with the key 2026"
}
do {
  let mistaken = sealing("2026", SymmetricKey(size: .bits256))
  let other = try AppGroupsFile(
    name: "token", initialValue: "", container: container, format: .json.sealed(by: mistaken))
  try other.write("another token")
} catch AppGroupsFileError.unopenable(_, let key, _) {
  print("this is not the key \(key)")  // Prints "this is not the key 2026"
}
print(try renewed.read())  // Prints "a confidential token"
try FileManager.default.removeItem(at: directory)
