/// What the command line asks for.
struct Options {
  /// What to do.
  enum Command {
    case guide(isQuick: Bool)
    case soak(seconds: Double)
    case follow(path: String, seconds: Double?)
    case child(ChildRole)
    case help
  }

  let command: Command

  static let help = """
    Usage: tour [--quick]
           tour --soak SECONDS
           tour --file PATH [--for SECONDS]

    Shows processes that share values, and ends with what was promised and seen; the exit status is 0 if every promise was
    kept.

      --quick         do less of everything
      --soak SECONDS  use everything at once for so long, while processes are killed, and see whether memory stays flat
      --file PATH     follow a JSON file of your own: edit it in any editor, and each change is printed as it is decoded
      --for SECONDS   stop following after so long, instead of at Control-C
      --help          print this
    """

  init(_ arguments: some Sequence<String>) throws(UsageError) {
    var rest = Array(arguments)[...]
    var isQuick = false
    var path: String?
    var seconds: Double?
    var soak: Double?
    if rest.first == ChildRole.flag {
      command = .child(try ChildRole(Array(rest.dropFirst())))
      return
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--quick": isQuick = true
      case "--file": path = try Self.value(of: argument, from: &rest)
      case "--for": seconds = try Self.seconds(of: argument, from: &rest)
      case "--soak": soak = try Self.seconds(of: argument, from: &rest)
      case "--help", "-h":
        command = .help
        return
      default: throw UsageError("there is no option \(argument)")
      }
    }
    if let soak {
      command = .soak(seconds: soak)
    } else if let path {
      command = .follow(path: path, seconds: seconds)
    } else if seconds != nil {
      throw UsageError("--for goes with --file")
    } else {
      command = .guide(isQuick: isQuick)
    }
  }

  private static func seconds(of option: String, from rest: inout ArraySlice<String>) throws(UsageError) -> Double {
    guard let number = Double(try value(of: option, from: &rest)), number > 0, number < 1e9 else {
      throw UsageError("\(option) takes a number of seconds")
    }
    return number
  }

  private static func value(of option: String, from rest: inout ArraySlice<String>) throws(UsageError) -> String {
    guard let value = rest.popFirst() else { throw UsageError("\(option) needs a value") }
    return value
  }
}

/// A command line that makes no sense.
struct UsageError: Error, CustomStringConvertible {
  let description: String

  init(_ reason: String) {
    description = "tour: \(reason)"
  }
}
