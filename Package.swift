// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Faraday",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Faraday", targets: ["Faraday"]),
    .library(name: "FaradayCore", targets: ["FaradayCore"]),
    .library(name: "FaradayCoding", targets: ["FaradayCoding"]),
    .library(name: "FaradayMiddleware", targets: ["FaradayMiddleware"]),
    .library(name: "FaradayStreams", targets: ["FaradayStreams"]),
    .library(name: "FaradayCache", targets: ["FaradayCache"]),
    .library(name: "FaradayPromises", targets: ["FaradayPromises"]),
    .library(name: "FaradayRequests", targets: ["FaradayRequests"]),
    .library(name: "FaradayHAL", targets: ["FaradayHAL"]),
    .library(name: "FaradayWebSocket", targets: ["FaradayWebSocket"]),
    .library(name: "FaradayCurl", targets: ["FaradayCurl"]),
    .library(name: "FaradayURLSession", targets: ["FaradayURLSession"]),
    .library(name: "FaradayTesting", targets: ["FaradayTesting"]),
    .library(name: "FaradaySwiftTesting", targets: ["FaradaySwiftTesting"]),
    .library(name: "FaradayObservability", targets: ["FaradayObservability"]),
    .library(name: "FaradayHosting", targets: ["FaradayHosting"]),
    .executable(name: "faraday", targets: ["FaradayCLI"]),
  ],
  traits: [
    .default(enabledTraits: ["Command"]),
    .trait(
      name: "Command",
      description:
        "The command faraday, over swift-argument-parser. Who depends on this package without it does not resolve that."),
    .trait(
      name: "Observability",
      description:
        "FaradayObservability, over swift-metrics and swift-distributed-tracing. Who depends on this package without it does not resolve these."
    ),
    .trait(
      name: "Hosting",
      description:
        "FaradayHosting, over swift-service-lifecycle and swift-configuration. Who depends on this package without it does not resolve these."
    ),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.0.0", traits: []),
  ],
  targets: [
    .systemLibrary(
      name: "CCurl", path: "Modules/CCurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
    .systemLibrary(
      name: "CZlib", path: "Modules/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    // Functions of libraries that are loaded at run time, and of the kernel.
    .systemLibrary(name: "CLibraries", path: "Modules/CLibraries"),
    .target(name: "FaradayContentCoding", dependencies: ["CZlib", "CLibraries"]),
    .target(name: "FaradaySupport", dependencies: ["CLibraries"]),
    .target(
      name: "FaradayCore",
      dependencies: ["FaradayContentCoding", "CLibraries", .product(name: "HTTPTypes", package: "swift-http-types")]),
    .target(name: "FaradayCurl", dependencies: ["FaradayCore", "FaradaySupport", "CCurl"]),
    .target(name: "FaradayURLSession", dependencies: ["FaradayCore"]),
    .target(name: "FaradayWebSocket", dependencies: ["FaradayCore", "FaradayContentCoding"]),
    .target(name: "FaradayCoding", dependencies: ["FaradayCore"]),
    .target(
      name: "FaradayTesting", dependencies: ["FaradayCore", "FaradayCoding", "FaradaySupport", "FaradayWebSocket"]),
    // Apart from FaradayTesting, because it links Swift Testing.
    .target(name: "FaradaySwiftTesting", dependencies: ["FaradayCore", "FaradayTesting"]),
    .target(
      name: "FaradayMiddleware",
      dependencies: ["FaradayCore", "FaradayCoding", "FaradaySupport", .product(name: "Logging", package: "swift-log")]),
    .target(name: "FaradayStreams", dependencies: ["FaradayCore", "FaradayCoding", "FaradaySupport"]),
    .target(name: "FaradayCache", dependencies: ["FaradayCore", "FaradaySupport"]),
    .target(name: "FaradayPromises", dependencies: ["FaradayCore"]),
    .target(
      name: "FaradayRequests", dependencies: ["FaradayCore", "FaradayCoding", "FaradayPromises", "FaradayMiddleware"]),
    .target(
      name: "Faraday",
      dependencies: [
        "FaradayCore", "FaradayCoding", "FaradayMiddleware", "FaradayStreams", "FaradayPromises", "FaradayRequests",
      ]),
    .target(name: "FaradayHAL", dependencies: ["FaradayCore", "FaradayCoding", "FaradayRequests"]),
    // Empty without its trait.
    .target(
      name: "FaradayObservability",
      dependencies: [
        "FaradayCore", .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Observability"])),
        .product(name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Observability"])),
      ]),
    // Empty without its trait.
    .target(
      name: "FaradayHosting",
      dependencies: [
        "FaradayCore",
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Hosting"])),
        .product(name: "Configuration", package: "swift-configuration", condition: .when(traits: ["Hosting"])),
      ]),
    .executableTarget(
      name: "FaradayCLI",
      dependencies: [
        "Faraday", "FaradayCurl", "FaradayURLSession", "FaradayWebSocket", "FaradayTesting",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Command"])),
      ]),
    .target(name: "SanitizedMutex", path: "Tests/SanitizedMutex"),
    .executableTarget(
      name: "stress", dependencies: ["Faraday", "FaradayCurl", "FaradayTesting", "TestServers", "SanitizedMutex"],
      path: "Tests/Stress"),
    .executableTarget(name: "example-ndjson", dependencies: ["Faraday", "FaradayCurl"], path: "Tests/Examples/NDJSON"),
    .executableTarget(name: "example-upload", dependencies: ["Faraday", "FaradayCurl"], path: "Tests/Examples/Upload"),
    .executableTarget(name: "downloader", dependencies: ["Faraday", "FaradayCurl"], path: "Tests/Downloader"),
    .executableTarget(name: "linked", dependencies: ["Faraday", "FaradayCurl"], path: "Tests/Linked"),
    .executableTarget(name: "autobahn-client", dependencies: ["FaradayWebSocket", "FaradayCurl"], path: "Tests/Autobahn"),
    .executableTarget(name: "cache-writer", dependencies: ["FaradayCore", "FaradayCache"], path: "Tests/CacheWriter"),
    .target(name: "Watchdog", path: "Tests/Watchdog"),
    // Programs that only our own tests start, and the conformance rules that need them.
    .target(name: "TestServers", dependencies: ["FaradayCore", "FaradayTesting"], path: "Tests/TestServers"),
    .target(
      name: "TestSupport",
      dependencies: ["FaradayCore", "FaradayCurl", "FaradayURLSession", "FaradayTesting", "TestServers", "Watchdog"],
      path: "Tests/TestSupport"),
    .testTarget(
      name: "FaradayContentCodingTests", dependencies: ["FaradayContentCoding", "FaradayTesting", "CZlib", "CLibraries"]),
    .testTarget(name: "FaradaySupportTests", dependencies: ["FaradaySupport", "FaradayTesting"]),
    .testTarget(name: "FaradayCoreTests", dependencies: ["FaradayCore", "FaradayTesting", "TestSupport"]),
    .testTarget(name: "FaradayCodingTests", dependencies: ["FaradayCore", "FaradayCoding", "FaradayTesting"]),
    .testTarget(
      name: "FaradayMiddlewareTests",
      dependencies: [
        "Faraday", "FaradayMiddleware", "FaradaySupport", "FaradayCache", "FaradayCurl", "FaradayURLSession", "FaradayTesting",
        "TestServers", "TestSupport",
        .product(name: "Logging", package: "swift-log"),
      ]),
    .testTarget(
      name: "FaradayStreamsTests",
      dependencies: [
        "Faraday", "FaradayStreams", "FaradaySupport", "FaradayTesting", "TestServers", "TestSupport", "downloader",
      ]),
    .testTarget(
      name: "FaradayCacheTests",
      dependencies: ["Faraday", "FaradayCache", "FaradayTesting", "TestServers", "TestSupport", "cache-writer"]),
    .testTarget(
      name: "FaradayWebSocketTests",
      dependencies: [
        "Faraday", "FaradayWebSocket", "FaradayContentCoding", "FaradayCurl", "FaradayTesting", "TestServers", "TestSupport",
      ]),
    .testTarget(name: "FaradayPromisesTests", dependencies: ["FaradayCore", "FaradayPromises", "FaradayTesting"]),
    .testTarget(
      name: "FaradayRequestsTests", dependencies: ["Faraday", "FaradayTesting", "TestServers", "TestSupport"]),
    .testTarget(
      name: "FaradayHALTests", dependencies: ["Faraday", "FaradayHAL", "FaradayCurl", "FaradayTesting", "TestSupport"]),
    .testTarget(
      name: "FaradayObservabilityTests",
      dependencies: [
        "Faraday", "FaradayObservability", "FaradayCurl", "FaradayTesting", "TestSupport",
        .product(name: "MetricsTestKit", package: "swift-metrics", condition: .when(traits: ["Observability"])),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing", condition: .when(traits: ["Observability"])),
      ]),
    .testTarget(
      name: "FaradayHostingTests",
      dependencies: [
        "Faraday", "FaradayHosting", "FaradayCurl", "FaradayTesting",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Hosting"])),
        .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: .when(traits: ["Hosting"])),
        .product(name: "Configuration", package: "swift-configuration", condition: .when(traits: ["Hosting"])),
      ]),
    .testTarget(
      name: "FaradayTestingTests",
      dependencies: [
        "Faraday", "FaradayCore", "FaradayCoding", "FaradayCache", "FaradayCurl", "FaradayURLSession", "FaradayTesting",
        "FaradaySwiftTesting", "TestServers", "TestSupport", "Watchdog",
      ]),
    .testTarget(
      name: "FaradayCurlTests",
      dependencies: ["Faraday", "FaradayCurl", "FaradayContentCoding", "FaradayTesting", "TestServers", "TestSupport", "CCurl"],
      // The tests have name lookups of their own, which libcurl must find before the system's.
      linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic-symbol=getaddrinfo"], .when(platforms: [.linux]))]),
    .testTarget(
      name: "FaradayURLSessionTests", dependencies: ["FaradayCore", "FaradayURLSession", "FaradayTesting", "TestSupport"]),
    .testTarget(
      name: "FaradayTests",
      dependencies: [
        "Faraday", "FaradayCache", "FaradayHAL", "FaradayWebSocket", "FaradayCurl", "FaradayURLSession", "FaradayTesting",
        "TestServers",
        "TestSupport", "example-ndjson", "example-upload",
        .product(name: "Logging", package: "swift-log"),
      ]),
    // What somebody else can write: nothing of the package's own is seen from there.
    .testTarget(
      name: "OutsideTests", dependencies: ["Faraday", "FaradayCurl", "FaradayURLSession", "FaradayTesting", "Namesakes"],
      packageAccess: false),
    .target(name: "Namesakes", path: "Tests/Namesakes"),
    // What the article about testing shows.
    .target(name: "ExampleNotes", dependencies: ["Faraday"], path: "Tests/Examples/Notes/Client", packageAccess: false),
    .testTarget(
      name: "ExampleNotesTests",
      dependencies: ["ExampleNotes", "Faraday", "FaradayCurl", "FaradayTesting", "FaradaySwiftTesting"],
      path: "Tests/Examples/Notes/Tests", exclude: ["Cassettes"], packageAccess: false),
    .testTarget(
      name: "FaradayCLITests",
      dependencies: ["FaradayCLI", "Faraday", "FaradayCurl", "FaradayTesting", "TestServers", "TestSupport"],
      exclude: ["curl-7.88.1-help.txt"]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system && !["SanitizedMutex", "Watchdog"].contains(target.name) {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]
}
