// swift-tools-version: 6.2
import PackageDescription

// The peers are resolved here, and by nobody who depends on Faraday.
let package = Package(
  name: "bench",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Faraday", path: "../.."),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
  ],
  targets: [
    .target(name: "Measuring"),
    .executableTarget(
      name: "bench",
      dependencies: [
        "Measuring", .product(name: "Faraday", package: "Faraday"), .product(name: "FaradayCurl", package: "Faraday"),
        .product(name: "FaradayWebSocket", package: "Faraday"),
      ]),
    .executableTarget(
      name: "peers",
      dependencies: [
        "Measuring", .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "_NIOFileSystem", package: "swift-nio"),
        .product(name: "NIOFoundationCompat", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ]),
    .executableTarget(name: "compare"),
  ],
  swiftLanguageModes: [.v6]
)
