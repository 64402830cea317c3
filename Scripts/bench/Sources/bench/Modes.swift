import Faraday
import FaradayCurl
import Foundation
import Measuring

/// The same work as the C program's, done as an application would.
struct Modes {
  let arguments: Arguments
  let connection: Connection
  let adapter: CurlAdapter

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    var configuration = CurlAdapter.Configuration()
    configuration.proxy = .direct
    configuration.threads = arguments.threads
    if !arguments.isByDefault {
      configuration.maximumPooledConnectionsPerOrigin = max(600, arguments.concurrency)
      configuration.maximumPooledConnections = max(600, arguments.concurrency)
    }
    adapter = CurlAdapter(configuration)
    var defaults = Options()
    if !arguments.certificate.isEmpty { defaults.tls.caFile = arguments.certificate }
    if arguments.version == 1 { defaults.httpVersion = .http1 }
    if arguments.version == 3 { defaults.httpVersion = .http3 }
    if arguments.forgetsSessions { defaults.tls.resumesSessions = false }
    let layers: [any Middleware] = Array(repeating: PassThrough(), count: arguments.layers)
    connection = try Connection(
      arguments.url, defaults: defaults, adapter: adapter,
      middleware: layers + (arguments.isStandard ? .standard : []))
  }

  func work() async throws -> Outcome {
    switch arguments.mode {
    case "get", "handshakes": try await many(arguments) { try await get() }
    case "download": try await many(arguments) { try await download() }
    case "lines": try await many(arguments) { try await lines() }
    case "get-on-engine": try await onEngine { try await many(arguments) { try await get() } }
    case "stream-on-engine": try await onEngine { try await many(arguments) { try await stream() } }
    case "stream": try await many(arguments) { try await stream() }
    case "file": try await many(arguments) { try await file() }
    case "checksum": try await many(arguments) { try await file(checksum: .sha256(arguments.second)) }
    case "upload": try await many(arguments) { try await upload() }
    case "upload-file": try await many(arguments) { try await uploadFile() }
    case "json": try await many(arguments) { try await json() }
    case "idle": try await idle()
    case "slow": try await slow()
    case "ws-receive", "ws-send", "ws-echo", "ws-idle": try await WebSocketModes(arguments, connection).work()
    default: throw Arguments.Wrong("unknown mode \(arguments.mode)")
    }
  }

  private func onEngine(_ work: () async throws -> Outcome) async throws -> Outcome {
    try await withTaskExecutorPreference(adapter.taskExecutor, operation: work)
  }

  private func get(_ url: String = "") async throws -> Int {
    let response = try await connection.get(url)
    try check(response)
    return response.body.data?.count ?? 0
  }

  private func download() async throws -> Int {
    let sum = Sum()
    try check(
      await connection.get {
        $0.options.onChunk = { bytes in
          sum.add(bytes.byteCount, first: bytes.unsafeLoad(as: UInt8.self))
          return .continue
        }
      })
    return sum.bytes
  }

  private func lines() async throws -> Int {
    let lines = LineSplitter(into: (bytes: 0, first: UInt8(0))) { sum, line in
      sum.bytes += line.byteCount + 1
      sum.first = line.unsafeLoad(as: UInt8.self)
      return .continue
    }
    try check(await connection.get { $0.options.onChunk = lines.take })
    return try lines.finish().bytes
  }

  private func stream() async throws -> Int {
    let response = try await connection.get { $0.options.delivery = .streamed }
    try check(response)
    var bytes = 0
    var first: UInt8 = 0
    for try await piece in response.body {
      bytes += piece.count
      first ^= piece.first ?? 0
    }
    return bytes + Int(first & 0)
  }

  /// With its part file, what is on the disk at the end, and the rename: a download that can be resumed.
  private func file(checksum: Checksum? = nil) async throws -> Int {
    let download = try await connection.download("", to: arguments.file + "." + UUID().uuidString, checksum: checksum)
    return Int(download.size)
  }

  private func upload() async throws -> Int {
    let piece = Data(repeating: 0x61, count: pieceSize)
    let pieces = Repeating(bytes: arguments.bytes, piece: piece) { piece, count in piece.prefix(count) }
    return try await put(.stream(pieces, length: Int64(arguments.bytes)))
  }

  private func uploadFile() async throws -> Int { try await put(.file(arguments.file)) }

  private func put(_ body: Body) async throws -> Int {
    let sum = Sum()
    let response = try await connection.put(body: body) { $0.options.onUploadProgress = { _ in sum.add(1, first: 0) } }
    try check(response)
    return Int(response.metrics.bytesSent)
  }

  private func json() async throws -> Int {
    let response = try await connection.post(json: Order.example)
    try check(response)
    _ = try await response.decode(Order.self)
    return response.body.data?.count ?? 0
  }

  /// Opens so many exchanges whose bodies do not come, and times requests beside them.
  private func idle() async throws -> Outcome {
    let stalled = try await stalled()
    let clock = ContinuousClock()
    var bytes = 0
    let duration = try await clock.measure {
      for _ in 0..<arguments.requests { bytes += try await get(arguments.second) }
    }
    withExtendedLifetime(stalled) {}
    return Outcome(bytes: bytes, seconds: duration.inSeconds)
  }

  private func slow() async throws -> Outcome {
    let before = Usage.residentKiB
    let stalled = try await stalled()
    let outcome = try await idleFigures(of: stalled.count, since: before)
    withExtendedLifetime(stalled) {}
    return outcome
  }

  private func stalled() async throws -> [Response] {
    try await withThrowingTaskGroup(of: Response.self) { group in
      for _ in 0..<arguments.concurrency {
        group.addTask { try await connection.get { $0.options.delivery = .streamed } }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  private func check(_ response: Response) throws {
    // Over an old libcurl what is automatic is HTTP/1.1, which is not the same work.
    guard arguments.version != 2 || response.version == .http2 else {
      throw Arguments.Unable("CurlAdapter does not use HTTP/2 for this with this libcurl: it does from 8.4 on")
    }
    guard arguments.version != 3 || response.version == .http3 else { throw Arguments.Wrong("HTTP/3 was not used") }
    guard response.status == .ok else { throw Arguments.Wrong("the server answered \(response.status.code)") }
  }
}

/// A middleware that does nothing.
struct PassThrough: Middleware {
  func handle(_ request: Request, next: Next) async throws -> Response { try await next(request) }
}
