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

let signals: [Target.Dependency] = ["Cluster", "Signals"].map { .product(name: $0, package: "Signals") }

/// A transport of clusters over AsyncHTTPClient, a program that checks it with private certificates, and a program that
/// measures transports: `check` beside this file.
let package = Package(
  name: "ClusterTransport",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Signals", path: "../.."),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
  ],
  targets: [
    .target(
      name: "AsyncHTTPTransport",
      dependencies: signals + [
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOFoundationCompat", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "cluster-check",
      dependencies: signals + ["AsyncHTTPTransport"],
      path: "Sources/ClusterCheck",
      swiftSettings: settings
    ),
    .executableTarget(
      name: "cluster-measure",
      dependencies: signals + ["AsyncHTTPTransport"],
      path: "Sources/ClusterMeasure",
      swiftSettings: settings
    ),
  ],
  swiftLanguageModes: [.v6]
)
