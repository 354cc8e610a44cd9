/// What happens to the containers of a root.
///
/// Each ``willChange(from:to:)`` is followed by exactly one ``didChange(from:to:)`` or ``failed(from:to:error:)``. A
/// switch by another process is told by ``didChange(from:to:)`` alone; of several that it makes in a row, only where
/// they led to, and nothing if they led back.
public enum ContainerEvent: Sendable, Hashable {
  /// A container is about to be put away for another.
  case willChange(from: Container, to: Container)

  /// Another container is active: its files, settings and cookies are live, and so are all values that follow.
  case didChange(from: Container, to: Container)

  /// The switch was refused or failed; the container that was active still is.
  case failed(from: Container, to: Container, error: AppContainerError)
}
