import Foundation

/// The programs under test: built, unless the environment names them.
struct Programs {
  /// The folder of this package.
  let package: String
  let raw, bench, peers: String

  init(_ wishes: Wishes) throws {
    let environment = ProcessInfo.processInfo.environment
    guard let package = environment["BENCH_PACKAGE"] else {
      throw Failed("BENCH_PACKAGE is not set: start Scripts/bench/run", status: 2)
    }
    self.package = package
    let libraries = wishes.libcurl.map { "\(package)/../../.libcurls/\($0)/lib" }
    if let libraries, !FileManager.default.fileExists(atPath: libraries + "/libcurl.so.4") {
      throw Failed("--libcurl needs a version that Scripts/libcurls has fetched", status: 2)
    }
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    raw = try Self.buildC(package, libraries)
    var bench = try value("BENCH_BIN") ?? Self.build("bench", in: package)
    peers = try value("BENCH_PEERS") ?? Self.build("peers", in: package)
    if let libraries { bench = try Self.copy(of: bench, to: package + "/.build/bench", loading: libraries) }
    self.bench = bench
  }

  private static func buildC(_ package: String, _ libraries: String?) throws -> String {
    let program = package + "/.build/raw"
    let sources = try FileManager.default.contentsOfDirectory(atPath: package + "/raw").filter { $0.hasSuffix(".c") }.sorted()
    var flags = (Shell.output(of: ["pkg-config", "--cflags", "--libs", "libcurl"]) ?? "-lcurl").split(separator: " ").map(
      String.init)
    // Not by LD_LIBRARY_PATH, which the servers and openssl would get too.
    if let libraries { flags.append("-Wl,--disable-new-dtags,-rpath,\(libraries)") }
    try Shell.run(
      ["cc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program] + sources.map { "\(package)/raw/\($0)" } + flags)
    return program
  }

  private static func build(_ product: String, in package: String) throws -> String {
    let (folder, status) = try Shell.result(of: ["\(package)/../nested", "bench", "--product", product])
    guard status == 0 else { throw Failed("\(product) cannot be built") }
    return folder.trimmingCharacters(in: .whitespacesAndNewlines) + "/" + product
  }

  private static func copy(of program: String, to copy: String, loading libraries: String) throws -> String {
    try Shell.run(["cp", program, copy])
    let path = Shell.output(of: ["patchelf", "--print-rpath", program]) ?? ""
    try Shell.run(["patchelf", "--force-rpath", "--set-rpath", "\(libraries):\(path)", copy])
    return copy
  }
}

/// What the results are labelled with.
enum Machine {
  /// The version that the package of the programs has resolved.
  private static var asyncHTTPClient: String {
    struct Resolved: Decodable {
      struct Pin: Decodable {
        struct State: Decodable { let version: String? }
        let identity: String
        let state: State
      }
      let pins: [Pin]
    }
    let path = (ProcessInfo.processInfo.environment["BENCH_PACKAGE"] ?? ".") + "/Package.resolved"
    let resolved = FileManager.default.contents(atPath: path).flatMap { try? JSONDecoder().decode(Resolved.self, from: $0) }
    return resolved?.pins.first { $0.identity == "async-http-client" }?.state.version ?? ""
  }

  /// With the libcurl that was chosen.
  static func properties(_ wishes: Wishes) -> [String: String] {
    installed.merging(wishes.libcurl.map { ["libcurl": $0] } ?? [:]) { $1 }
  }

  private static let installed: [String: String] = {
    let processors = ProcessInfo.processInfo.processorCount
    let model = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.firstMatch(of: /(?m)^model name.*: (.*)$/)?.1
    let swift = Shell.output(of: ["swift", "--version"])?.firstMatch(of: /Swift version ([^ ]*)/)?.1
    return [
      "processor": "\(processors) x \(model.map(String.init) ?? Shell.output(of: ["uname", "-m"]) ?? "")",
      "system": Shell.output(of: ["uname", "-sr"]) ?? "",
      "async-http-client": asyncHTTPClient,
      "swift": swift.map(String.init) ?? "",
      "libcurl": Shell.output(of: ["curl-config", "--version"])?.replacing("libcurl ", with: "") ?? "",
      // nginx writes its version to standard error.
      "nginx": Shell.output(of: ["sh", "-c", "nginx -v 2>&1"])?.replacing("nginx version: nginx/", with: "") ?? "",
    ]
  }()
}
