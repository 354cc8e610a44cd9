// swift-tools-version: 6.2
import PackageDescription

/// Every target builds with Swift 7's rules and without a single warning.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
  .treatWarning("DeprecatedDeclaration", as: .warning),
]

/// Settings of the targets that are libraries: their public types also say whether they are sendable.
let librarySettings: [SwiftSetting] = settings + [.treatWarning("ExplicitSendable", as: .error)]

let package = Package(
  name: "Signals",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Signals", targets: ["Signals"]),
    .library(name: "FileSignals", targets: ["FileSignals"]),
    .library(name: "AppGroups", targets: ["AppGroups"]),
    .library(name: "Stores", targets: ["Stores"]),
    .library(name: "Containers", targets: ["Containers"]),
    .library(name: "Contexts", targets: ["Contexts"]),
    .library(name: "Tweaks", targets: ["Tweaks"]),
    .library(name: "Cluster", targets: ["Cluster"]),
    .library(name: "Inspector", targets: ["Inspector"]),
    .library(name: "SignalsKit", targets: ["SignalsKit"]),
    .library(name: "SignalsTesting", targets: ["SignalsTesting"]),
    .executable(name: "TweakAccessorGenerator", targets: ["TweakAccessorGenerator"]),
    .plugin(name: "TweakAccessors", targets: ["TweakAccessors"]),
  ],
  targets: [
    .target(name: "CLibrary", swiftSettings: librarySettings),
    .systemLibrary(name: "CLinux"),
    .target(
      name: "Signals",
      dependencies: ["CLibrary", .target(name: "CLinux", condition: .when(platforms: [.linux, .android]))],
      swiftSettings: librarySettings
    ),
    .target(
      name: "FileSignals",
      dependencies: ["CLibrary", "Signals", .target(name: "CLinux", condition: .when(platforms: [.linux, .android]))],
      swiftSettings: librarySettings
    ),
    .target(name: "StrictJSON", swiftSettings: librarySettings),
    .target(name: "Requests", dependencies: ["Signals"], swiftSettings: librarySettings),
    .target(
      name: "AppGroups",
      dependencies: ["CLibrary", "Signals", "FileSignals", "StrictJSON"],
      swiftSettings: librarySettings
    ),
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .target(
      name: "Stores",
      dependencies: ["CLibrary", "CSQLite", "Signals", "FileSignals", "AppGroups"],
      swiftSettings: librarySettings
    ),
    .target(
      name: "Containers",
      dependencies: ["CLibrary", "Signals", "FileSignals", "AppGroups"],
      swiftSettings: librarySettings
    ),
    .target(name: "TweakFormat", dependencies: ["StrictJSON"], swiftSettings: librarySettings),
    .executableTarget(
      name: "TweakAccessorGenerator",
      dependencies: ["CLibrary", "StrictJSON", "TweakFormat"],
      swiftSettings: settings
    ),
    .plugin(
      name: "TweakAccessors",
      capability: .buildTool(),
      dependencies: ["TweakAccessorGenerator"],
      path: "Sources/TweakAccessors"
    ),
    .target(
      name: "Tweaks",
      dependencies: ["CLibrary", "Signals", "FileSignals", "AppGroups", "StrictJSON", "TweakFormat", "Requests"],
      swiftSettings: librarySettings
    ),
    .target(
      name: "Contexts",
      dependencies: ["CLibrary", "Signals", "FileSignals", "AppGroups", "Stores"],
      swiftSettings: librarySettings
    ),
    .target(name: "Cluster", dependencies: ["CLibrary", "Signals", "Requests"], swiftSettings: librarySettings),
    .target(
      name: "Inspector",
      dependencies: [
        "CLibrary", "Signals", "FileSignals", "AppGroups", "Stores", "Containers", "Contexts", "Tweaks", "StrictJSON",
      ],
      swiftSettings: librarySettings
    ),
    .target(
      name: "SignalsKit",
      dependencies: ["Signals", "FileSignals", "AppGroups", "Stores", "Containers", "Contexts", "Tweaks"],
      swiftSettings: librarySettings
    ),
    .target(name: "SignalsTesting", dependencies: ["Signals"], swiftSettings: librarySettings),

    .target(
      name: "TestSupport",
      dependencies: ["CLibrary", "Signals", "SignalsTesting"],
      path: "Tests/Support",
      swiftSettings: settings
    ),
    .target(
      name: "KqueueModel",
      dependencies: ["CLibrary", "Signals", "FileSignals"],
      path: "Tests/KqueueModel",
      swiftSettings: settings
    ),
    .target(
      name: "TestWorld",
      dependencies: [
        "Signals", "FileSignals", "AppGroups", "Stores", "Containers", "Contexts", "Tweaks", "TestSupport",
      ],
      path: "Tests/World",
      swiftSettings: settings
    ),
    .executableTarget(
      name: "Peer",
      dependencies: [
        "CLibrary", "Signals", "SignalsTesting", "FileSignals", "AppGroups", "Stores", "Containers", "Contexts",
        "Tweaks", "Cluster", "Inspector", "TestSupport", "TestWorld",
      ],
      path: "Tests/Peer",
      swiftSettings: settings
    ),
    .testTarget(
      name: "SignalsTests",
      dependencies: ["CLibrary", "Signals", "SignalsTesting", "TestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "SignalsTestingTests",
      dependencies: ["Signals", "SignalsTesting", "TestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "FileSignalsTests",
      dependencies: ["CLibrary", "FileSignals", "Signals", "TestSupport", "KqueueModel", "Peer"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "StrictJSONTests",
      dependencies: ["StrictJSON", "TestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "RequestsTests",
      dependencies: ["Requests", "Signals", "TestSupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "AppGroupsTests",
      dependencies: [
        "CLibrary", "AppGroups", "FileSignals", "Signals", "StrictJSON", "TestSupport", "KqueueModel", "Peer",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "StoresTests",
      dependencies: ["Stores", "AppGroups", "FileSignals", "Signals", "TestSupport", "KqueueModel", "Peer"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ContainersTests",
      dependencies: [
        "CLibrary", "Containers", "Stores", "AppGroups", "FileSignals", "Signals", "SignalsTesting", "TestSupport",
        "Peer",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ContextsTests",
      dependencies: ["Contexts", "Stores", "AppGroups", "FileSignals", "Signals", "TestSupport", "Peer"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "TweaksTests",
      dependencies: [
        "CLibrary", "Tweaks", "AppGroups", "FileSignals", "Signals", "SignalsTesting", "TestSupport", "Peer",
        "TweakAccessorGenerator",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ClusterTests",
      dependencies: ["CLibrary", "Cluster", "AppGroups", "Tweaks", "Signals", "SignalsTesting", "TestSupport", "Peer"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "InspectorTests",
      dependencies: [
        "Inspector", "Tweaks", "Containers", "Contexts", "Stores", "AppGroups", "FileSignals", "Signals",
        "SignalsTesting", "TestSupport", "Peer",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "TogetherTests",
      dependencies: [
        "CLibrary", "Containers", "Contexts", "Stores", "Tweaks", "AppGroups", "FileSignals", "Signals",
        "SignalsTesting",
        "TestSupport", "TestWorld", "Peer",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "DocumentationTests",
      dependencies: ["SignalsKit", "Cluster", "Inspector", "SignalsTesting", "TestSupport"],
      swiftSettings: settings
    ),
  ],
  swiftLanguageModes: [.v6]
)
