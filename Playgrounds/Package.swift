// swift-tools-version: 6.2
import PackageDescription

/// What pages and tools may import.
let modules: [Target.Dependency] = ["Signals", "FileSignals", "AppGroups", "SignalsKit", "Cluster", "Inspector"].map {
  name in
  .product(name: name, package: "Signals")
}

/// Each page of the playground is also a program: `swift run --package-path Playgrounds 01-Signals`.
///
/// Named one by one, because SwiftPM remembers what a manifest said by its text: pages that it looked for on the disk
/// would not be noticed.
let pages = [
  "01-Signals",
  "02-Properties",
  "03-SharedFile",
  "04-Operators",
  "05-Bridges",
  "06-DerivedValues",
  "07-Preferences",
  "08-Log",
  "09-Versions",
  "10-Stores",
  "11-Environments",
  "12-Sessions",
  "13-Tweaks",
  "14-Suspension",
  "15-Cluster",
  "16-RemoteTweaks",
  "17-WorkQueue",
].map { page in
  Target.executableTarget(
    name: page,
    dependencies: modules,
    path: "Signals.playground/Pages/\(page).xcplaygroundpage",
    sources: ["Contents.swift"]
  )
}

/// The guided tour, in real processes: `swift run --package-path Playgrounds tour`.
let tour = Target.executableTarget(name: "tour", dependencies: modules, path: "Tour")

/// Tweaks with an accessor that a plugin generates: `swift run --package-path Playgrounds accessor`.
let accessor = Target.executableTarget(
  name: "accessor",
  dependencies: modules + [.product(name: "Tweaks", package: "Signals")],
  path: "Accessor",
  resources: [.copy("Shop.tweaks.json")],
  plugins: [.plugin(name: "TweakAccessors", package: "Signals")]
)

let package = Package(
  name: "Playgrounds",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Signals", path: "..")],
  targets: pages + [tour, accessor],
  swiftLanguageModes: [.v6]
)
