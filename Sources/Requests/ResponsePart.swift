package import Foundation

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

/// A part of a response as it arrives.
package enum ResponsePart: Sendable {
  /// The status and the fields, which come first.
  case head(HTTPURLResponse)

  /// Bytes of the body.
  case body(Data)
}
