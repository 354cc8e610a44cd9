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

// A package of its own, beside the benchmarks: it gates every commit, so it must not wait for their dependencies.
let package = Package(
  name: "Counts",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Signals", path: "../..")],
  targets: [
    .target(name: "CountingRuntime"),
    .executableTarget(
      name: "counts",
      dependencies: [
        "CountingRuntime", .product(name: "Signals", package: "Signals"), .product(name: "Tweaks", package: "Signals"),
      ],
      path: "Sources/Counts",
      swiftSettings: settings
    ),
  ],
  swiftLanguageModes: [.v6]
)
