@_spi(Adapters) public import FaradayCore
internal import FaradaySupport
private import Synchronization

/// An adapter that records exchanges in a file, and answers later runs of a test from it, without a network.
///
///     let cassette = try Cassette("Cassettes/users.har", over: CurlAdapter())
///     let connection = try Connection("https://api.example.com", adapter: cassette)
///     _ = try await connection.get("users")
///     try cassette.finish()
///
/// The file is an HTTP Archive (HAR 1.2): requests, responses, informational responses, trailers, timings, errors, and the pieces
/// of streamed bodies with the pauses between them. A redirect, a retry and a token refresh are exchanges of their own, because
/// the middleware is above the adapter. Bodies of more than 64 KiB are files in a folder beside the archive. Exports of browsers
/// can be replayed too.
///
/// Secrets are redacted before anything is written: what the connection's ``FaradayCore/Secrets`` and those of the cassette name,
/// in header fields, URLs, JSON, forms and text. Names and attributes of cookies, schemes of credentials, and the types of JSON
/// values are kept. A replay delivers ``FaradayCore/Secrets/mark`` in the place of a secret, and requests are compared in their
/// redacted form. A secret under a name that the rules do not know, in prose, or in a binary body is not found.
///
/// Compressed responses are recorded decoded, and delivered without `Content-Encoding`, if the request asks for decompression.
/// An upgrade of the connection is refused with ``FaradayCore/TransportError/Code/unsupported``. A replay has no metrics.
///
/// What it records and replays is independent of the adapter. The function
/// ``withCassette(_:over:mode:matching:repeats:pace:secrets:filePath:perform:)`` finds the file beside the test. Thread-safe.
public final class Cassette: Adapter {
  /// Whether a cassette records or replays.
  public enum Mode: String, Sendable, Hashable, CaseIterable {
    /// Replays, and never sends: for continuous integration.
    case never
    /// Replays if the file exists, and records it otherwise.
    case once
    /// Records, and replaces the file.
    case always
    /// Replays what was recorded, and sends and records other requests.
    case new

    /// The environment variable with the mode of all cassettes that have none of their own.
    static let variable = "FARADAY_CASSETTES"
  }

  /// What a request and its recording must have in common, besides method and URL.
  public struct Matching: Sendable, Hashable {
    /// The names of header fields whose values are compared; none by default.
    public var headers: [HTTPField.Name]
    /// Whether the bodies are compared, byte by byte after redaction. False by default, because bodies may contain times and
    /// random boundaries.
    public var comparesBodies: Bool

    /// A rule; method and URL are always compared.
    public init(headers: [HTTPField.Name] = [], comparesBodies: Bool = false) {
      self.headers = headers
      self.comparesBodies = comparesBodies
    }
  }

  /// When the pieces of a recorded body are delivered.
  public enum Pace: Sendable, Hashable {
    /// At once.
    case immediate
    /// After the pauses that were recorded.
    case recorded
  }

  /// The capabilities of the adapter to record with; all of them without one.
  public let capabilities: Capabilities
  /// The path of the file.
  public let path: String
  /// Whether requests may be sent and recorded.
  public var records: Bool { recorder != nil }

  /// The adapter that sends unknown requests; nil if they are errors.
  private let recorder: (any Adapter)?
  private let replay: Replay
  private let matching: Matching
  private let repeats: Bool
  private let secrets: Secrets
  /// The exchanges of the file.
  private let entries: [HAR.Entry]
  private let keys: [RequestKey]
  /// The number of the first exchange that is recorded, for the names of files.
  private let firstNumber: Int
  private let state: Mutex<State>

  private struct State {
    /// Which exchanges of the file were used.
    var isUsed: [Bool]
    var recordings: [Recording] = []
    /// The first request that had no recording.
    var unknown: CassetteError?
  }

  /// The maximum size of an archive: 64 MiB, without the files of large bodies.
  public static let maximumSize = 64 << 20

  /// A cassette in a file.
  ///
  /// - Parameters:
  ///   - file: the archive. Its folder is created when it is written.
  ///   - adapter: sends the requests that are recorded. Nil replays only.
  ///   - mode: nil, the default, takes the mode of the environment variable `FARADAY_CASSETTES`, otherwise ``Mode/once``.
  ///   - matching: what is compared besides method and URL. Of several recordings that match, each is used once, in order.
  ///   - repeats: whether the last recording that matches answers all further requests.
  ///   - pace: whether the pieces of bodies are delivered with their recorded pauses.
  ///   - secrets: rules in addition to those of each connection; none by default.
  ///   - clock: for the pauses.
  ///
  /// Throws ``CassetteError`` if the file must be read and cannot be.
  public init(
    _ file: some FileReference, over adapter: (any Adapter)? = nil, mode: Mode? = nil, matching: Matching = Matching(),
    repeats: Bool = false, pace: Pace = .immediate, secrets: Secrets = .none, clock: any Clock<Duration> = ContinuousClock()
  ) throws {
    path = file.filePath
    let mode = try mode ?? Self.modeOfEnvironment(path)
    let exists = FileManager.default.fileExists(atPath: path)
    let reads = exists && mode != .always
    recorder = mode == .always || mode == .new || mode == .once && !exists ? adapter : nil
    guard recorder != nil || reads else { throw CassetteError(.missing, path: path) }
    self.matching = matching
    self.repeats = repeats
    self.secrets = secrets
    // Frames of an upgraded connection cannot be redacted, and a replay has no bytes of heads.
    let missing: Capabilities = recorder != nil ? .upgrade : [.upgrade, .rawHeads, .trace]
    capabilities = (adapter?.capabilities ?? .all).subtracting(missing)
    let log = reads ? try Self.read(path) : HAR.Log()
    let isOwn = log.creator?.name == HAR.Creator().name
    entries = log.entries
    replay = Replay(path: path, folder: Self.folder(of: path), isOwn: isOwn, pace: pace, clock: clock)
    keys = try entries.map { [replay] entry in
      try RequestKey(entry.request, isOwn ? nil : Redaction(Secrets(), and: secrets), matching) {
        try replay.body(of: entry.request)
      }
    }
    firstNumber = 1 + max(entries.count, entries.flatMap(\.bodyFiles).compactMap { Int($0.prefix { $0 != "-" }) }.max() ?? 0)
    state = Mutex(State(isUsed: Array(repeating: false, count: entries.count)))
  }

  private static func modeOfEnvironment(_ path: String) throws -> Mode {
    guard let text = ProcessInfo.processInfo.environment[Mode.variable], !text.isEmpty else { return .once }
    guard let mode = Mode(rawValue: text) else { throw CassetteError(.invalidMode(text), path: path) }
    return mode
  }

  /// The folder of large bodies: the path without its suffix.
  private static func folder(of path: String) -> String {
    path.hasSuffix(".har") ? String(path.dropLast(4)) : path + ".bodies"
  }

  private static func read(_ path: String) throws -> HAR.Log {
    do {
      return try HAR(PrivateFile.read(path, limit: maximumSize)).log
    } catch let failure as PrivateFile.Failure {
      throw CassetteError(.unreadable(failure.reason), path: path)
    } catch let problem as HAR.Problem {
      throw CassetteError(.unreadable(problem.text), path: path)
    }
  }

  /// Answers a request from the file, or sends and records it. Throws ``CassetteError`` for an unknown request, and the recorded
  /// error of an exchange that failed.
  public func send(_ request: Request) async throws -> Response {
    try Task.checkCancellation()
    try capabilities.check(request, of: "Cassette")
    let redaction = Redaction(request.secrets, and: secrets)
    if let recorder, entries.isEmpty { return try await record(request, redaction, over: recorder) }
    var request = request
    // A body that can be read only once is read for the comparison, and then sent from memory.
    if matching.comparesBodies { request.body = .data(try await request.readBody()) }
    let key = RequestKey(request, redaction, matching)
    if let entry = take(key) {
      if !matching.comparesBodies { _ = try await request.readBody() }
      return try await replay.response(of: entry, to: request)
    }
    guard let recorder else { throw remember(unknown(request, key)) }
    return try await record(request, redaction, over: recorder)
  }

  private func take(_ key: RequestKey) -> HAR.Entry? {
    state.withLock { state in
      let matching = keys.indices.filter { keys[$0] == key }
      guard let index = matching.first(where: { !state.isUsed[$0] }) ?? (repeats ? matching.last : nil) else { return nil }
      state.isUsed[index] = true
      return entries[index]
    }
  }

  private func record(_ request: Request, _ redaction: Redaction, over adapter: any Adapter) async throws -> Response {
    let recording = state.withLock { state in
      let number = firstNumber + state.recordings.count
      let recording = Recording(request, redaction, stem: "\(replay.folder)/\(number)")
      state.recordings.append(recording)
      return recording
    }
    return try await recording.send(over: adapter)
  }

  private func remember(_ error: CassetteError) -> CassetteError {
    state.withLock { $0.unknown = $0.unknown ?? error }
    return error
  }

  private func unknown(_ request: Request, _ key: RequestKey) -> CassetteError {
    let isUsed = state.withLock { $0.isUsed }
    let candidates = keys.indices.map { (index: $0, differences: key.differences(from: keys[$0])) }
    let nearest = candidates.min {
      ($0.differences.count, isUsed[$0.index] ? 1 : 0) < ($1.differences.count, isUsed[$1.index] ? 1 : 0)
    }
    let text = nearest.map { index, differences in
      "\(keys[index].method) \(keys[index].url.bounded(to: 256))"
        + (differences.isEmpty ? ", which was used already" : ": " + differences.prefix(8).joined(separator: "; "))
    }
    return CassetteError(.unknownRequest(nearest: text), path: path, request: request)
  }

  /// Ends the use of the cassette: writes what was recorded, or checks the replay.
  ///
  /// Throws ``CassetteError`` if the file cannot be written; after a replay, if a request was unknown, even if the code under
  /// test has handled that error; and if recordings were not used. Call it when all exchanges are over: of a body that is still
  /// read, the file has what has arrived.
  public func finish() throws {
    let state = state.withLock { $0 }
    if records {
      guard !state.recordings.isEmpty || entries.isEmpty else { return }
      return try write(state.recordings)
    }
    if let unknown = state.unknown { throw unknown }
    let unused = keys.indices.filter { !state.isUsed[$0] }.map { "\(keys[$0].method) \(keys[$0].url.bounded(to: 256))" }
    guard unused.isEmpty else { throw CassetteError(.unused(unused), path: path) }
  }

  private func write(_ recordings: [Recording]) throws {
    var archive = HAR()
    do {
      archive.log.entries = try entries + recordings.compactMap { try $0.entry() }
      if !path.folder.isEmpty {
        try FileManager.default.createDirectory(atPath: path.folder, withIntermediateDirectories: true)
      }
      let bytes = try archive.encoded()
      guard bytes.count <= Self.maximumSize else { throw HAR.Problem(text: "it has more than \(Self.maximumSize) bytes") }
      // From here on the files of the old recording are replaced.
      for recording in recordings { try recording.keepFiles() }
      try bytes.write(to: URL(filePath: path), options: .atomic)
    } catch let problem as HAR.Problem {
      throw CassetteError(.notRecordable(problem.text), path: path)
    } catch {
      throw CassetteError(.unreadable("it cannot be written: \(error)"), path: path)
    }
    removeOldBodies(archive)
  }

  /// Removes the files of an earlier recording's bodies.
  private func removeOldBodies(_ archive: HAR) {
    let kept = Set(archive.log.entries.flatMap(\.bodyFiles))
    for name in (try? FileManager.default.contentsOfDirectory(atPath: replay.folder)) ?? [] {
      guard name.wholeMatch(of: /[0-9]+-(request|response)\.body/) != nil, !kept.contains(name) else { continue }
      try? FileManager.default.removeItem(atPath: "\(replay.folder)/\(name)")
    }
  }

  // MARK: the cassette of a test

  @TaskLocal package static var ofTest: Cassette?
  /// The name of the current test, as `swift test --filter` takes it, for the advice of errors.
  @TaskLocal package static var nameOfTest: String?

  /// The cassette of the current test, which the trait `.cassette` has. Throws ``CassetteError`` in a test without it.
  public static var current: Cassette {
    get throws {
      guard let cassette = ofTest else {
        throw CassetteError(.notRecordable("the test has no trait .cassette"), path: "the current test")
      }
      return cassette
    }
  }
}

extension HAR.Entry {
  /// The names of the files of its bodies.
  fileprivate var bodyFiles: [String] { [request.postData?._file, response.content?._file].compactMap { $0 } }
}
