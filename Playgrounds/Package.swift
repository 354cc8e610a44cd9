// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// What pages and tools may import.
let modules: [Target.Dependency] = ["Signals", "FileSignals", "AppGroups", "SignalsKit"].map { name in
  .product(name: name, package: "Signals")
}

let folder = URL(filePath: #filePath).deletingLastPathComponent()

/// The entries of a folder beside this file, sorted; none if there is no such folder.
func entries(of path: String) -> [String] {
  let contents = try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: path).path)
  return (contents ?? []).sorted()
}

/// Each page of the playground is also a program: `swift run --package-path Playgrounds 01-Signals`.
let pages = entries(of: "Signals.playground/Pages").filter { $0.hasSuffix(".xcplaygroundpage") }.map { page in
  Target.executableTarget(
    name: page.replacingOccurrences(of: ".xcplaygroundpage", with: ""),
    dependencies: modules,
    path: "Signals.playground/Pages/\(page)",
    sources: ["Contents.swift"]
  )
}

/// The guided tour, in real processes: `swift run --package-path Playgrounds tour`.
let tour = Target.executableTarget(name: "tour", dependencies: modules, path: "Tour")

let package = Package(
  name: "Playgrounds",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Signals", path: "..")],
  targets: pages + [tour],
  swiftLanguageModes: [.v6]
)
