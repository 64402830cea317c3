import Foundation

/// The rows that are not a comparison of contestants.
struct OtherRows {
  let programs: Programs
  let wishes: Wishes

  /// The same program over each client: a clean release build, what it resolves, how large it is and how soon it is over.
  func build(_ setup: Setup) throws {
    print(["hello-request".padded(20)] + ["build s", "packages", "MB"].map { $0.padded(10, atEnd: false) } + ["   start-up ms"])
    for client in ["faraday", "async-http-client", "urlsession"] {
      let folder = setup.files.work + "/hello-" + client
      try Shell.run(["cp", "-R", "\(programs.package)/hello/\(client)", folder])
      let manifest = folder + "/Package.swift"
      let root = URL(fileURLWithPath: programs.package + "/../..").standardized.path
      try String(contentsOfFile: manifest, encoding: .utf8).replacing("FARADAY_PATH", with: root)
        .write(toFile: manifest, atomically: true, encoding: .utf8)
      try Shell.run(["swift", "package", "--package-path", folder, "resolve"])
      let start = Date()
      try Shell.run(["swift", "build", "-c", "release", "--package-path", folder])
      let seconds = Date().timeIntervalSince(start)
      let bin = Shell.output(of: ["swift", "build", "-c", "release", "--package-path", folder, "--show-bin-path"]) ?? ""
      let packages = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/.build/checkouts"))?.count ?? 0
      let size = try FileManager.default.attributesOfItem(atPath: bin + "/hello")[.size] as? NSNumber
      let figures = [
        String(format: "%.1f", seconds), "\(packages)", String(format: "%.1f", (size?.doubleValue ?? 0) / 1e6),
        String(format: "%.1f", try startUp(bin + "/hello", setup)),
      ]
      print([client.padded(20)] + zip(figures, [10, 10, 10, 14]).map { $0.padded($1, atEnd: false) })
    }
  }

  /// Milliseconds of processor and waiting from start to end of a program that gets one small response, the median of 21.
  private func startUp(_ program: String, _ setup: Setup) throws -> Double {
    // By the shell: Foundation's Process notices the end of a program late.
    let loop = #"for _ in {1..21}; do start=$EPOCHREALTIME; "$@" >/dev/null || exit; echo "$start $EPOCHREALTIME"; done"#
    let words = ["env", "LC_ALL=C", "bash", "-c", loop, "bash"] + setup.prefix + [program, setup.web + "/hello"]
    let (output, status) = try Shell.result(of: words)
    guard status == 0 else { throw Failed("failed: \(program)") }
    return output.split(separator: "\n").map { line in
      let times = line.split(separator: " ").compactMap { Double($0) }
      return ((times.last ?? 0) - (times.first ?? 0)) * 1000
    }.median
  }

  func jsonDocuments() throws {
    try Shell.show([programs.bench, "json-documents", "-", "--requests", "\(wishes.isQuick ? 1 : wishes.rounds ?? 3)"])
    let depths = [100, 510, 100000]
    print(["\n" + "arrays on a 512 KiB stack".padded(26)] + depths.map { "\($0) deep".padded(26, atEnd: false) })
    for reader in ["JSONValue", "JSONSerialization", "JSONDecoder"] {
      let outcomes = try depths.map { depth in
        // A program that crashes prints nothing.
        let result = try Shell.result(of: [programs.bench, "json-deep", reader, "--requests", "\(depth)"], isSilent: true)
        return result.status == 0 ? result.output.trimmingCharacters(in: .whitespacesAndNewlines) : "ends the process"
      }
      print([reader.padded(26)] + outcomes.map { $0.padded(26, atEnd: false) })
    }
  }

  func beside(_ setup: Setup) throws {
    try Shell.show([
      programs.bench, "beside", setup.web + "/50m", "--second", setup.web + "/hello", "--requests",
      wishes.isQuick ? "200" : "2000",
      "--concurrency", "8",
    ])
  }

  /// 1 GiB to a file whose SHA-256 is verified, beside curl with `tee` and `sha256sum`, and beside curl that writes no file.
  func checksum(_ setup: Setup) throws {
    let (url, file) = (setup.web + "/1g", setup.files.served + "/saved")
    let hash = try Shell.result(of: ["sha256sum", setup.files.served + "/1g"]).output.prefix(64)
    let contestants = [
      ("curl | sha256sum", "curl -sS '\(url)' | sha256sum"),
      ("curl | tee FILE | sha256sum", "curl -sS '\(url)' | tee '\(file)' | sha256sum"),
      ("Faraday, download(checksum:)", "'\(programs.bench)' checksum '\(url)' --file '\(file)' --second \(hash)"),
    ]
    for (name, line) in contestants {
      let rates = try (0..<(wishes.rounds ?? 3)).map { _ in
        let start = Date()
        try Shell.run(setup.prefix + ["bash", "-eo", "pipefail", "-c", line + " >/dev/null; rm -f '\(file)'*"])
        return 1073.741824 / Date().timeIntervalSince(start)
      }
      print([name.padded(32), String(format: "%.0f MB/s", rates.median).padded(12, atEnd: false)])
    }
  }

  private func print(_ cells: [String]) { FileHandle.standardOutput.write(Data((cells.joined() + "\n").utf8)) }
}

extension Shell {
  /// Runs a program that prints to standard output.
  static func show(_ words: [String]) throws {
    let process = try start(words, output: FileHandle.standardOutput)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failed("failed: \(words.joined(separator: " "))") }
  }
}
