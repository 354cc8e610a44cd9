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

let dependencies: [Target.Dependency] = [
  .product(name: "Signals", package: "Signals"),
  .product(name: "Tweaks", package: "Signals"),
  .product(name: "Configuration", package: "swift-configuration"),
]

/// Adapters between flags and the package swift-configuration, in both directions; `check` tests them.
let package = Package(
  name: "TweakConfiguration",
  platforms: [.macOS(.v15)],
  products: [.library(name: "TweakConfiguration", targets: ["TweakConfiguration"])],
  dependencies: [
    .package(name: "Signals", path: "../.."),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
  ],
  targets: [
    .target(name: "TweakConfiguration", dependencies: dependencies, swiftSettings: settings),
    .testTarget(
      name: "TweakConfigurationTests", dependencies: dependencies + ["TweakConfiguration"], swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
