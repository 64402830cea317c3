import Foundation

/// The built `faraday`, run as anybody runs it.
struct Program {
  /// What it did.
  struct Outcome {
    let status: Int32
    let output: Data
    /// Standard error.
    let error: String

    var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// There is no executable beside the tests.
  struct NotBuilt: Error {}

  /// Runs it to its end. Files take what it writes: a pipe that nobody empties would stop it.
  static func run(_ arguments: String..., input: Data = Data(), in folder: TemporaryFolder? = nil) async throws -> Outcome {
    let own = try TemporaryFolder()
    let names = ["input", "output", "error"].map(own.file)
    for name in names { try (name.hasSuffix("input") ? input : Data()).write(to: URL(fileURLWithPath: name)) }
    let output = try FileHandle(forWritingTo: URL(fileURLWithPath: names[1]))
    let error = try FileHandle(forWritingTo: URL(fileURLWithPath: names[2]))
    let process = try process(arguments)
    process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: names[0]))
    process.standardOutput = output
    process.standardError = error
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder.path) }
    let status = try await finish(process)
    return Outcome(
      status: status, output: own.read("output") ?? Data(), error: String(decoding: own.read("error") ?? Data(), as: UTF8.self))
  }

  static func process(_ arguments: [String]) throws -> Process {
    let process = Process()
    process.executableURL = try executable()
    process.arguments = arguments
    return process
  }

  /// Starts it and waits for its end.
  static func finish(_ process: Process) async throws -> Int32 {
    try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do {
        try process.run()
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  /// The product stands in a folder above the test bundle, or beside it.
  private static func executable() throws -> URL {
    let starts = [CommandLine.arguments.first, Bundle.main.executablePath, Bundle.main.bundlePath].compactMap { $0 }
    for start in starts {
      var folder = URL(fileURLWithPath: start).resolvingSymlinksInPath()
      while folder.path.count > 1 {
        folder.deleteLastPathComponent()
        let candidate = folder.appendingPathComponent("faraday")
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: candidate.path, isDirectory: &isFolder), !isFolder.boolValue,
          FileManager.default.isExecutableFile(atPath: candidate.path)
        {
          return candidate
        }
      }
    }
    throw NotBuilt()
  }
}

/// The lines of a program that is still running, as they come.
struct Lines: AsyncSequence {
  private let pieces: AsyncStream<Data>

  init(of pipe: Pipe) {
    pieces = AsyncStream { continuation in
      pipe.fileHandleForReading.readabilityHandler = { handle in
        let piece = handle.availableData
        guard piece.isEmpty else {
          continuation.yield(piece)
          return
        }
        handle.readabilityHandler = nil
        continuation.finish()
      }
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: pieces.makeAsyncIterator()) }

  struct AsyncIterator: AsyncIteratorProtocol {
    var pieces: AsyncStream<Data>.AsyncIterator
    var rest = Data()

    mutating func next() async -> String? { await next(isolation: #isolation) }

    mutating func next(isolation actor: isolated (any Actor)?) async -> String? {
      while true {
        if let end = rest.firstIndex(of: 0x0A) {
          let line = String(decoding: rest[..<end], as: UTF8.self)
          rest = Data(rest[rest.index(after: end)...])
          return line
        }
        guard let piece = await pieces.next(isolation: actor) else { return nil }
        rest.append(piece)
      }
    }
  }
}
