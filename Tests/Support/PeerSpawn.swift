import CLibrary
import Foundation

/// Starts a program with one socket as its standard input and output, and without other inherited descriptors.
enum PeerSpawn {
  static func socketPair(for executable: URL) throws -> (ours: CInt, theirs: CInt) {
    var pair: [CInt] = [-1, -1]
    #if canImport(Darwin)
      let kind = SOCK_STREAM
    #elseif canImport(Glibc)
      let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    #else
      let kind = SOCK_STREAM | SOCK_CLOEXEC
    #endif
    guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else {
      throw PeerProcess.Failure.cannotStart(executable: executable.path, cause: String(cString: strerror(errno)))
    }
    #if canImport(Darwin)
      var yes: CInt = 1
      setsockopt(pair[0], SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<CInt>.size))
    #endif
    return (pair[0], pair[1])
  }

  static func start(_ executable: URL, _ arguments: [String], socket: CInt) throws -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
      posix_spawnattr_init(&attributes)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_CLOEXEC_DEFAULT | POSIX_SPAWN_SETSIGMASK))
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
      posix_spawnattr_init(&attributes)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    #endif
    // Threads of Dispatch block all signals. A shell that inherits their mask never learns that its child has ended.
    var mask = sigset_t()
    sigemptyset(&mask)
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawn_file_actions_init(&actions)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDERR_FILENO)

    var words: [UnsafeMutablePointer<CChar>?] = ([executable.path] + arguments).map { strdup($0) } + [nil]
    let variables = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
    var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
    defer { for string in words + environment { free(string) } }

    var process: pid_t = 0
    let result = posix_spawn(&process, executable.path, &actions, &attributes, &words, &environment)
    guard result == 0 else {
      throw PeerProcess.Failure.cannotStart(executable: executable.path, cause: String(cString: strerror(result)))
    }
    return process
  }
}
