// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "counts",
  platforms: [.macOS("26.0")],
  dependencies: [.package(name: "Faraday", path: "../..")],
  targets: [
    .target(name: "Allocations"),
    .executableTarget(
      name: "counts",
      dependencies: ["Allocations"]
        + ["Faraday", "FaradayCurl", "FaradayCache"].map { .product(name: $0, package: "Faraday") },
      swiftSettings: [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
  ],
  swiftLanguageModes: [.v6]
)
