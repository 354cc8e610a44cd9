import Foundation

/// What went wrong with a system call.
package struct SystemError: Error, CustomStringConvertible {
  package let call: String
  package let code = errno

  package init(call: String) {
    self.call = call
  }

  package var description: String { "\(call) failed: \(String(cString: strerror(code)))" }
}
