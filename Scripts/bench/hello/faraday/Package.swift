// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "hello",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Faraday", path: "FARADAY_PATH", traits: [])],
  targets: [
    .executableTarget(
      name: "hello",
      dependencies: [
        .product(name: "FaradayCore", package: "Faraday"), .product(name: "FaradayCurl", package: "Faraday"),
      ])
  ]
)
