#if canImport(FoundationNetworking)
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension AppContainer {
  /// Has values of `UserDefaults` switched together with the files.
  ///
  /// Call it where the app starts, before anything reads the values. The values at the first call belong to the active
  /// environment. From then on, each switch writes the values into a file of the old environment, and replaces them with
  /// those of the new one, in memory and where the system keeps them. A value that the new one does not have is gone.
  ///
  /// A key `org.signals.container` in each suite says whose its values are. A program that died in the middle of a
  /// switch, or did not run while another one switched, finds out here, and each environment has its own values again.
  ///
  /// On Linux, Foundation writes values down when `synchronize()` is called and at no other time; a switch does that.
  /// What another process has set and not written yet when it hears of a switch is lost, and values that are set while
  /// a switch replaces them may be, too. Values that processes share belong in an ``/AppGroups/AppGroupsSuite``, which
  /// follows a switch by itself.
  ///
  /// - Parameter suites: Which; those that were given before stay.
  /// - Throws: ``AppContainerError`` if a name is none for a suite, or if the values cannot be read and written.
  public func switchDefaults(_ suites: [DefaultsSuite] = [.standard]) throws(AppContainerError) {
    try attach(DefaultsSettings(suites))
  }

  /// Has the cookies of a storage switched together with the files.
  ///
  /// Call it where the app starts, before the first request. What is there at the first time belongs to the environment
  /// that is active. From then on, each switch writes the cookies into a file of the environment that goes, which only
  /// its owner may read, removes them, and puts those of the other in their place: with `Secure`, `HttpOnly` and the
  /// time at which they end, which Foundation by itself forgets on Linux. A cookie for the host
  /// `container.signals.invalid`, which cannot exist, says whose the others are.
  ///
  /// Every process that switches environments has to call this, since only who switches writes cookies down: those that
  /// another process has set by itself are lost when it hears of the switch.
  ///
  /// Requests that are under way during a switch may still set a cookie after it; finish or cancel them in a flush hook
  /// or in a delegate.
  ///
  /// - Parameters:
  ///   - storage: The storage, such as `HTTPCookieStorage.shared`.
  ///   - name: What tells this storage from others of the app.
  /// - Throws: ``AppContainerError`` if the name cannot be part of a file's, or if the cookies cannot be read and
  ///   written.
  public func switchCookies(of storage: HTTPCookieStorage, named name: String = "shared") throws(AppContainerError) {
    try attach(CookieSettings(storage, name: name))
  }

  private func attach(_ settings: any EnvironmentSettings) throws(AppContainerError) {
    try engine.exclusively("Switching settings") { access in
      do {
        try settings.begin(in: access.layout.settingsURL(access.state.active))
      } catch let error as AppContainerError {
        throw error
      } catch {
        throw AppContainerError.settingsFailed(settings.name, reason: "\(error)")
      }
      engine.participants.add(settings)
    }
  }
}
