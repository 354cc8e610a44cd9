package import Dispatch
package import Foundation
package final class FileWatch: Sendable {
  package init(_ url: URL, queue: DispatchQueue? = nil, onChange: @escaping @Sendable () -> Void) throws {}
}
