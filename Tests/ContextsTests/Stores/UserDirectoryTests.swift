import FileSignals
import Testing

@testable import Contexts

@Suite("Names of user directories")
struct UserDirectoryTests {
  private func hex(_ text: String) -> String {
    SHA256.digest(Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test
  func `the digest is the standard SHA-256`() {
    #expect(hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(
      hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
  }

  @Test
  func `directory names cannot escape the root, exceed the length limit, or collide`() {
    let long = String(repeating: "x", count: 5000)
    let identities = [
      "ada", "Ada", "ADA", "..", ".", "", "../../x", "a/b", "a%2fb", "a\0b", "é", long,
      long + "y", "__standard__",
    ]
    let names = identities.map(UserDirectory.name)
    #expect(Set(names.map { $0.lowercased() }).count == identities.count)
    for identity in identities { #expect(EncodedName.decoded(EncodedName.encoded(identity)) == identity) }
    #expect(UserDirectory.name(for: "e\u{301}") == UserDirectory.name(for: "\u{E9}"), "they are one identity")
    #expect(!names.contains(UserDirectory.noUser))
    for name in names {
      #expect(name.utf8.count <= 200 && !name.isEmpty)
      #expect(!name.contains("/") && !name.hasPrefix(".") && !name.utf8.contains(0))
    }
  }
}
