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

/// The program of the article "Encrypted values", with swift-crypto where there is no CryptoKit.
let package = Package(
  name: "Sealed",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Signals", path: "../.."),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
  ],
  targets: [
    .executableTarget(
      name: "sealed",
      dependencies: [
        .product(name: "AppGroups", package: "Signals"),
        .product(name: "Contexts", package: "Signals"),
        .product(name: "Crypto", package: "swift-crypto", condition: .when(platforms: [.linux])),
      ],
      path: ".",
      sources: ["main.swift"],
      swiftSettings: settings
    )
  ]
)
