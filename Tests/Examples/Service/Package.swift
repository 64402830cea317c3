// swift-tools-version: 6.2
import PackageDescription

// A package of its own: a program that depends on Faraday does not resolve what this service needs.
let package = Package(
  name: "job-service",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Faraday", path: "../../..", traits: ["Observability", "Hosting"]),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    .target(
      name: "JobService",
      dependencies: [
        .product(name: "Faraday", package: "Faraday"), .product(name: "FaradayCache", package: "Faraday"),
        .product(name: "FaradayCurl", package: "Faraday"), .product(name: "FaradayHosting", package: "Faraday"),
        .product(name: "FaradayObservability", package: "Faraday"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Configuration", package: "swift-configuration"), .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"), .product(name: "Tracing", package: "swift-distributed-tracing"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    .executableTarget(
      name: "job-service",
      dependencies: [
        "JobService", .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    // Starts Redis and processes of the service, for the tests and for the load.
    .target(
      name: "Harness",
      dependencies: [
        .product(name: "Faraday", package: "Faraday"), .product(name: "FaradayCurl", package: "Faraday"),
        .product(name: "FaradayTesting", package: "Faraday"),
      ],
      path: "Harness"),
    .executableTarget(
      name: "load", dependencies: ["Harness", "job-service", .product(name: "Faraday", package: "Faraday")], path: "load"),
    .testTarget(
      name: "JobServiceTests",
      dependencies: [
        "JobService", "Harness", "job-service", .product(name: "Faraday", package: "Faraday"),
        .product(name: "FaradayCache", package: "Faraday"), .product(name: "FaradayCurl", package: "Faraday"),
        .product(name: "FaradayTesting", package: "Faraday"), .product(name: "FaradaySwiftTesting", package: "Faraday"),
        .product(name: "Configuration", package: "swift-configuration"), .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"), .product(name: "NIOCore", package: "swift-nio"),
      ],
      path: "Tests", exclude: ["Cassettes"]),
  ],
  swiftLanguageModes: [.v6]
)
