/// Returns an address of the stack, which is lower the more deeply the calls of this thread are nested.
@inline(never)
public func stackAddress() -> UInt {
  var local: UInt8 = 0
  return withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
}
