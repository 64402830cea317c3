// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "bench",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Faraday", path: "../..")],
  targets: [
    .executableTarget(
      name: "bench",
      dependencies: [
        .product(name: "Faraday", package: "Faraday"), .product(name: "FaradayCurl", package: "Faraday"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
