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

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Signals", path: "../.."),
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: ["JSON", "Reloading"]),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
  ],
  targets: [
    .target(name: "Catalog", swiftSettings: settings),
    .target(
      name: "Machine",
      dependencies: [
        .product(name: "Signals", package: "Signals"), .product(name: "AppGroups", package: "Signals"),
      ],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "SignalsBenchmarks",
      dependencies: [
        "Catalog",
        "Machine",
        .product(name: "Signals", package: "Signals"),
        .product(name: "FileSignals", package: "Signals"),
        .product(name: "AppGroups", package: "Signals"),
        .product(name: "Stores", package: "Signals"),
        .product(name: "Containers", package: "Signals"),
        .product(name: "Tweaks", package: "Signals"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Benchmark", package: "benchmark"),
        .product(name: "OpenCombine", package: "OpenCombine"),
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Benchmarks/SignalsBenchmarks",
      swiftSettings: settings,
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
    ),
    .executableTarget(
      name: "Scaling",
      dependencies: [
        "Machine",
        .product(name: "Signals", package: "Signals"),
        .product(name: "FileSignals", package: "Signals"),
        .product(name: "AppGroups", package: "Signals"),
        .product(name: "Stores", package: "Signals"),
        .product(name: "Containers", package: "Signals"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "OpenCombine", package: "OpenCombine"),
      ],
      swiftSettings: settings
    ),
    .systemLibrary(name: "CMalloc"),
    .executableTarget(
      name: "Memory",
      dependencies: [
        "Catalog",
        "CMalloc",
        "Machine",
        .product(name: "Signals", package: "Signals"),
        .product(name: "FileSignals", package: "Signals"),
        .product(name: "AppGroups", package: "Signals"),
        .product(name: "Stores", package: "Signals"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "OpenCombine", package: "OpenCombine"),
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings
    ),
    .executableTarget(name: "ResultTable", dependencies: ["Catalog"], swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
