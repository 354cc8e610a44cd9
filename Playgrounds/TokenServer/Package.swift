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

/// A small server that hands out tokens, its client, and a program that has sessions with it: `swift run --package-path
/// Playgrounds/TokenServer token-check`.
let package = Package(
  name: "TokenServer",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "TokenServer", targets: ["TokenServer"]),
    // Without the server, for apps.
    .library(name: "TokenClient", targets: ["TokenClient"]),
  ],
  dependencies: [
    .package(name: "Signals", path: "../.."),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.26.0"),
  ],
  targets: [
    .target(
      name: "TokenClient",
      dependencies: [.product(name: "Contexts", package: "Signals")],
      swiftSettings: settings
    ),
    .target(
      name: "TokenServer",
      dependencies: ["TokenClient", .product(name: "FlyingFox", package: "FlyingFox")],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "token-check",
      dependencies: ["TokenClient", "TokenServer", .product(name: "Contexts", package: "Signals")],
      path: "Sources/TokenCheck",
      swiftSettings: settings
    ),
  ],
  swiftLanguageModes: [.v6]
)
