#if canImport(FoundationNetworking)
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension AppContainer {
  /// Switches values of `UserDefaults` together with the files.
  ///
  /// Call it when the app starts, before any code reads the values. The values at the first call belong to the active
  /// environment. From then on, each switch saves the values to a file of the old environment, and replaces them with
  /// the values of the new one, in memory and on disk. A value that the new environment does not have is removed.
  ///
  /// A key `org.signals.container` in each suite names the environment of its values. If a process died during a
  /// switch, or did not run while another one switched, this call restores the right values of each environment.
  ///
  /// On Linux, Foundation saves values only when `synchronize()` is called; a switch calls it. If another process
  /// switches, values that this process has set and not saved are lost. Values that are set during a switch may be
  /// lost, too. For values that processes share, use an ``/AppGroups/AppGroupsSuite``, which follows a switch.
  ///
  /// - Parameter suites: The suites to switch, in addition to those of earlier calls.
  /// - Throws: ``AppContainerError`` if a suite has an invalid name, or if its values cannot be read and written.
  public func switchDefaults(_ suites: [DefaultsSuite] = [.standard]) throws(AppContainerError) {
    try attach(DefaultsSettings(suites))
  }

  /// Switches the cookies of a storage together with the files.
  ///
  /// Call it when the app starts, before the first request. The cookies at the first call belong to the active
  /// environment. From then on, each switch saves the cookies to a file of the old environment, which only the owner
  /// can read, and replaces them with the cookies of the new one. `Secure`, `HttpOnly` and expiration dates are kept;
  /// Foundation alone loses these attributes on Linux. A cookie for the host `container.signals.invalid`, which cannot
  /// exist, names the environment of the other cookies.
  ///
  /// Call it in every process that switches environments, because only the process that switches saves its cookies. The
  /// cookies that another process has set are lost when it follows the switch.
  ///
  /// A request that is in progress during a switch may set a cookie after it. Finish or cancel requests in a flush hook
  /// or in a delegate.
  ///
  /// - Parameters:
  ///   - storage: The storage, such as `HTTPCookieStorage.shared`.
  ///   - name: The name of the storage; each storage of the app needs its own.
  /// - Throws: ``AppContainerError`` if the name cannot be part of a file name, if another storage has it, or if the
  ///   cookies cannot be read and written.
  public func switchCookies(of storage: HTTPCookieStorage, named name: String = "shared") throws(AppContainerError) {
    try attach(CookieSettings(storage, name: name))
  }

  private func attach(_ settings: any EnvironmentSettings) throws(AppContainerError) {
    try engine.exclusively("Switching settings") { access in
      let known = engine.participants.settings.first { $0.name == settings.name }
      if let known, !known.isSame(as: settings) {
        throw AppContainerError.settingsFailed(settings.name, reason: "another storage already uses this name")
      }
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
