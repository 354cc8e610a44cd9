import FileSignals

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Descriptor {
  /// Whether nobody will write the segment any more: whoever does has it locked.
  var isAbandoned: Bool { uninterrupted { flock(number, LOCK_SH | LOCK_NB) } == 0 }
}
