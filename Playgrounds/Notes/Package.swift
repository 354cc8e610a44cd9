// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
  .treatWarning("DeprecatedDeclaration", as: .warning),
]

/// One app with everything: a daemon with a web page, and a command-line tool that works on the same files.
let package = Package(
  name: "Notes",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "notesd", targets: ["notesd"]),
    .executable(name: "notes", targets: ["notes"]),
    .library(name: "NotesKit", targets: ["NotesKit"]),
  ],
  dependencies: [
    .package(name: "Signals", path: "../.."),
    // The client of a server that issues tokens, and a server that stands in for the one of your company.
    .package(name: "TokenServer", path: "../TokenServer"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    .target(
      name: "NotesKit",
      dependencies: [
        .product(name: "SignalsKit", package: "Signals"),
        // The generated accessor imports it.
        .product(name: "Tweaks", package: "Signals"),
        .product(name: "TokenClient", package: "TokenServer"),
      ],
      resources: [.copy("Notes.tweaks.json")],
      swiftSettings: settings,
      plugins: [.plugin(name: "TweakAccessors", package: "Signals")]
    ),
    .executableTarget(
      name: "notesd",
      dependencies: [
        "NotesKit",
        .product(name: "SignalsKit", package: "Signals"),
        .product(name: "TokenServer", package: "TokenServer"),
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/NotesDaemon",
      resources: [.copy("Page")],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "notes",
      dependencies: [
        "NotesKit",
        .product(name: "SignalsKit", package: "Signals"),
        .product(name: "Inspector", package: "Signals"),
        .product(name: "TokenClient", package: "TokenServer"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/NotesTool",
      swiftSettings: settings
    ),
    .testTarget(
      name: "NotesKitTests",
      dependencies: [
        "NotesKit",
        .product(name: "SignalsKit", package: "Signals"),
        .product(name: "SignalsTesting", package: "Signals"),
        .product(name: "TokenClient", package: "TokenServer"),
        .product(name: "TokenServer", package: "TokenServer"),
      ],
      swiftSettings: settings
    ),
  ],
  swiftLanguageModes: [.v6]
)
