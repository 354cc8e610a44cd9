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

/// A build farm: a daemon, and its workers, which share the builds of a queue.
let package = Package(
  name: "Farm",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "farm", targets: ["farm"])],
  dependencies: [
    .package(name: "Signals", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    .target(
      name: "FarmKit", dependencies: [.product(name: "SignalsKit", package: "Signals")], swiftSettings: settings),
    .executableTarget(
      name: "farm",
      dependencies: [
        "FarmKit",
        .product(name: "SignalsKit", package: "Signals"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/Farm",
      swiftSettings: settings
    ),
    .testTarget(
      name: "FarmTests",
      dependencies: ["FarmKit", "farm", .product(name: "SignalsKit", package: "Signals")],
      swiftSettings: settings
    ),
  ],
  swiftLanguageModes: [.v6]
)
