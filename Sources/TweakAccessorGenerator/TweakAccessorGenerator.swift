import CLibrary

/// A tool that generates Swift types from files of tweaks, and converts other libraries' files.
@main
enum TweakAccessorGenerator {
  static func main() {
    do throws(UsageError) {
      exit(try run(Array(CommandLine.arguments.dropFirst())))
    } catch {
      Files.say("error: \(error.reason)\n\n\(Help.text)", on: 2)
      exit(64)
    }
  }

  private static func run(_ arguments: [String]) throws(UsageError) -> CInt {
    if arguments.contains("-h") || arguments.contains("--help") || arguments.first == "help" {
      Files.say(Help.text, on: 1)
      return 0
    }
    var diagnostics = Diagnostics()
    if arguments.first == "convert" {
      let conversion = try ConversionOptions(Array(arguments.dropFirst()))
      conversion.run(&diagnostics)
    } else {
      let generation = try GenerationOptions(arguments)
      generation.run(&diagnostics)
    }
    for diagnostic in diagnostics.all { Files.say(diagnostic.text, on: 2) }
    return diagnostics.hasErrors ? 1 : 0
  }
}
