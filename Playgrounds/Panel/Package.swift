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

/// The panel of the inspector in a browser, and its command line: `swift run --package-path Playgrounds/Panel signals`.
let package = Package(
  name: "Panel",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "signals", targets: ["SignalsTool"]),
    .executable(name: "load", targets: ["Load"]),
  ],
  dependencies: [
    .package(name: "Signals", path: "../.."),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    .target(
      name: "Panel",
      dependencies: [
        .product(name: "Inspector", package: "Signals"),
        .product(name: "Signals", package: "Signals"),
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ],
      resources: [.copy("Page")],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "SignalsTool",
      dependencies: [
        "Panel",
        .product(name: "Inspector", package: "Signals"),
        .product(name: "Signals", package: "Signals"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "Load",
      dependencies: [
        .product(name: "AppGroups", package: "Signals"),
        .product(name: "FileSignals", package: "Signals"),
        .product(name: "Inspector", package: "Signals"),
        .product(name: "Signals", package: "Signals"),
      ],
      swiftSettings: settings
    ),
    .testTarget(name: "PanelTests", dependencies: ["Panel"], swiftSettings: settings),
    .testTarget(
      name: "SignalsToolTests",
      dependencies: [
        "SignalsTool",
        .product(name: "Containers", package: "Signals"),
        .product(name: "Signals", package: "Signals"),
        .product(name: "Stores", package: "Signals"),
        .product(name: "Tweaks", package: "Signals"),
      ],
      swiftSettings: settings
    ),
  ],
  swiftLanguageModes: [.v6]
)
