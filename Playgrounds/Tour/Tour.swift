import Foundation

/// Shows, with real processes, what it means to share a value.
///
/// Without a role this process is the guide: it starts other copies of itself, which read and write the same files,
/// watches them, and judges whether every promise was kept.
@main
struct Tour {
  static func main() async {
    do {
      switch try Options(CommandLine.arguments.dropFirst()).command {
      case .help: print(Options.help)
      case .child(let role): try await role.run()
      case .soak(let seconds): exit(try await Soak(seconds: seconds).run())
      case .follow(let path, let seconds): try await FileFollower(path: path).run(for: seconds)
      case .guide(let isQuick): exit(try await Guide(isQuick: isQuick).walk())
      }
    } catch let error as UsageError {
      complain("\(error)\n\n\(Options.help)")
      exit(64)
    } catch {
      complain("tour: \(error)")
      exit(1)
    }
  }

  private static func complain(_ message: String) {
    FileHandle.standardError.write(Data((message + "\n").utf8))
  }
}
