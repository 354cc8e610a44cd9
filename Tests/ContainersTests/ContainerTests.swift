import Containers
import Testing

@Suite("Container")
struct ContainerTests {
  @Test func `the default container has the identifier that is all zeros`() {
    #expect(Container.defaultUUID == "00000000-0000-0000-0000-000000000000")
  }
}
