// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "fuzz",
  platforms: [.macOS("26.0")],
  dependencies: [.package(name: "Faraday", path: "../..")],
  targets: [
    // What links it is `run`: it lies within the toolchain.
    .systemLibrary(name: "LibFuzzer", path: "LibFuzzer"),
    .executableTarget(
      name: "fuzz",
      dependencies: ["LibFuzzer"]
        + ["Faraday", "FaradayCore", "FaradayCoding", "FaradayMiddleware", "FaradayHAL", "FaradayWebSocket", "FaradayCurl"].map {
          .product(name: $0, package: "Faraday")
        },
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
