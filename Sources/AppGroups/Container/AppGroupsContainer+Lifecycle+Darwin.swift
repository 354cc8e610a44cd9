#if canImport(Darwin) && !os(macOS)
  public import FileSignals
  import Foundation
  public import Signals

  extension AppGroupsContainer {
    /// Suspends this process in the container whenever its app or extension enters the background, and resumes it when
    /// the app returns to the foreground.
    ///
    /// The process asks the system for time until its locks are released.
    ///
    /// - Parameters:
    ///   - limit: The longest time to wait for work under way.
    ///   - report: Receives each error, on another thread.
    /// - Returns: A token that ends this when it is released.
    public func suspendInBackground(
      within limit: Duration = .seconds(4), report: @escaping @Sendable (SuspensionError) -> Void
    ) -> SignalSubscription {
      let names = [("UIApplicationDidEnterBackground", true), ("UIApplicationWillEnterForeground", false)]
      let extensions = [("NSExtensionHostDidEnterBackground", true), ("NSExtensionHostWillEnterForeground", false)]
      let subscriptions = (names + extensions).map { name, isLeaving in
        NotificationCenter.default.signal(for: Notification.Name("\(name)Notification"))
          .sink { change(suspending: isLeaving, within: limit, report) }
      }
      return SignalSubscription { for subscription in subscriptions { subscription.cancel() } }
    }

    private func change(
      suspending isLeaving: Bool, within limit: Duration, _ report: @escaping @Sendable (SuspensionError) -> Void
    ) {
      // The system waits for the closure, which it calls on another thread.
      ProcessInfo.processInfo.performExpiringActivity(withReason: "Shared files") { isExpired in
        if isExpired { return }
        do throws(SuspensionError) {
          if isLeaving { try suspend(within: limit) } else { try resume(within: limit) }
        } catch {
          report(error)
        }
      }
    }
  }
#endif
