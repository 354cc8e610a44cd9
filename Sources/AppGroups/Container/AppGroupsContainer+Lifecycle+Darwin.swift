#if canImport(Darwin) && !os(macOS)
  import Dispatch
  public import FileSignals
  import Foundation
  public import Signals

  extension AppGroupsContainer {
    /// Suspends this process in the container whenever its app or extension enters the background, and resumes it when
    /// the app returns to the foreground.
    ///
    /// The process asks the system for time until its locks are released. If the system has none, it releases those
    /// that no work under way holds. If the app returns while the process is being suspended, it is resumed afterwards.
    ///
    /// An app that the system launches in the background enters it without notice. Call `suspend(within:)`
    /// when its work is done.
    ///
    /// - Parameters:
    ///   - limit: The longest time to wait for work under way.
    ///   - report: Receives each error, on another thread.
    /// - Returns: A token that ends this when it is released. A process that is suspended then stays so.
    public func suspendInBackground(
      within limit: Duration = .seconds(4), report: @escaping @Sendable (SuspensionError) -> Void
    ) -> SignalSubscription {
      let changes = LifecycleChanges()
      // The names of UIKit, of WatchKit and of extensions. A process receives those of one of them.
      let subscriptions = ["UIApplication", "WKApplication", "NSExtensionHost"].flatMap { sender in
        [
          notices("\(sender)DidEnterBackground").sink { leave(changes, within: limit, report) },
          notices("\(sender)WillEnterForeground").sink { enter(changes, within: limit, report) },
        ]
      }
      return SignalSubscription { for subscription in subscriptions { subscription.cancel() } }
    }

    private func notices(_ name: String) -> some Signal<Void, Never> {
      NotificationCenter.default.signal(for: Notification.Name("\(name)Notification"))
    }

    private func leave(
      _ changes: LifecycleChanges, within limit: Duration, _ report: @escaping @Sendable (SuspensionError) -> Void
    ) {
      let number = changes.announce()
      // The system waits for the closure, which it calls on another thread: with `true` when the time ends, and also at
      // once, if it has no time.
      ProcessInfo.processInfo.performExpiringActivity(withReason: "Shared files") { isExpired in
        changes.perform(number) {
          do throws(SuspensionError) { try suspend(within: isExpired ? .milliseconds(100) : limit) } catch {
            report(error)
          }
        }
      }
    }

    private func enter(
      _ changes: LifecycleChanges, within limit: Duration, _ report: @escaping @Sendable (SuspensionError) -> Void
    ) {
      let number = changes.announce()
      DispatchQueue.global(qos: .userInitiated).async {
        changes.perform(number) {
          do throws(SuspensionError) { try resume(within: limit) } catch { report(error) }
        }
      }
    }
  }
#endif
