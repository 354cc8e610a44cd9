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

func signals(_ names: String...) -> [Target.Dependency] { names.map { .product(name: $0, package: "Signals") } }

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")

/// Adapters for swift-log, swift-metrics and swift-service-lifecycle; `check` tests them.
let package = Package(
  name: "Services",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "SignalsLogging", targets: ["SignalsLogging"]),
    .library(name: "SignalsMetrics", targets: ["SignalsMetrics"]),
    .library(name: "SignalsLifecycle", targets: ["SignalsLifecycle"]),
    .executable(name: "letters", targets: ["letters"]),
  ],
  dependencies: [
    .package(name: "Signals", path: "../.."),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.9.0"),
  ],
  targets: [
    .target(name: "SignalsLogging", dependencies: signals("Signals") + [logging], swiftSettings: settings),
    .target(
      name: "SignalsMetrics",
      dependencies: signals("Signals", "Inspector") + [.product(name: "CoreMetrics", package: "swift-metrics")],
      swiftSettings: settings
    ),
    .target(
      name: "SignalsLifecycle",
      dependencies: signals("Signals", "AppGroups", "Stores") + [lifecycle],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "letters",
      dependencies: signals("SignalsKit", "Inspector")
        + ["SignalsLogging", "SignalsMetrics", "SignalsLifecycle", logging, lifecycle, unixSignals],
      path: "Sources/Letters",
      swiftSettings: settings
    ),
    .testTarget(
      name: "ServicesTests",
      dependencies: signals("SignalsKit", "Inspector") + [
        "SignalsLogging", "SignalsMetrics", "SignalsLifecycle", "letters", logging, lifecycle,
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ],
      swiftSettings: settings
    ),
  ],
  swiftLanguageModes: [.v6]
)
