// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
  .treatWarning("DeprecatedDeclaration", as: .warning),
  // A chain of ten operators stays far below this limit, in milliseconds; above it, the warning fails the build.
  .unsafeFlags(["-Xfrontend", "-warn-long-expression-type-checking=300"]),
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
