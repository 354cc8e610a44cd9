package import Foundation
package final class FileWatch: Sendable { package init(_ url: URL, _ body: @escaping @Sendable () -> Void) throws {} }
