import Foundation

/// Returns the number of calls on the stack of this thread, of which very deep ones are not counted.
public func stackDepth() -> Int { Thread.callStackReturnAddresses.count }
