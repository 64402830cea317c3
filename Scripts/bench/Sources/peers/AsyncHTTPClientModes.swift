import AsyncHTTPClient
import Foundation
import Measuring
import NIOCore
import NIOFileSystem
import NIOFoundationCompat
import NIOHTTP1
import NIOPosix
import NIOSSL

/// The same work with async-http-client, as its documentation shows it.
struct AsyncHTTPClientModes {
  let arguments: Arguments
  let client: HTTPClient

  static func run(_ arguments: Arguments, loops: Int) async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: loops)
    let client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: try configuration(arguments))
    let modes = AsyncHTTPClientModes(arguments: arguments, client: client)
    do { try await report(arguments, by: arguments.client) { try await modes.work() } } catch {
      try? await client.shutdown()
      throw error
    }
    try await client.shutdown()
    try await group.shutdownGracefully()
  }

  private static func configuration(_ arguments: Arguments) throws -> HTTPClient.Configuration {
    var configuration = HTTPClient.Configuration()
    if !arguments.certificate.isEmpty {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.trustRoots = .file(arguments.certificate)
      configuration.tlsConfiguration = tls
    }
    configuration.httpVersion = arguments.version == 2 ? .automatic : .http1Only
    if !arguments.isByDefault {
      configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(600, arguments.concurrency)
    }
    return configuration
  }

  private func work() async throws -> Outcome {
    switch arguments.mode {
    case "get": try await many(arguments) { try await get(arguments.url) }
    case "download": try await many(arguments) { try await download() }
    case "stream": try await many(arguments) { try await stream() }
    case "file": try await many(arguments) { try await file() }
    case "upload": try await many(arguments) { try await upload() }
    case "upload-file": try await many(arguments) { try await uploadFile() }
    case "handshakes": try await many(arguments) { try await handshake() }
    case "json": try await many(arguments) { try await json() }
    case "slow": try await slow()
    default: throw Arguments.Wrong("async-http-client has no mode \(arguments.mode)")
    }
  }

  private func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
    let response = try await client.execute(request, timeout: .seconds(600))
    guard response.status == .ok else { throw Arguments.Wrong("the server answered \(response.status.code)") }
    return response
  }

  private func get(_ url: String) async throws -> Int {
    try await send(HTTPClientRequest(url: url)).body.collect(upTo: 64 << 20).readableBytes
  }

  /// The server ends each connection, see the server's configuration.
  private func handshake() async throws -> Int { try await get(arguments.url) }

  private func stream() async throws -> Int {
    var bytes = 0
    var first: UInt8 = 0
    for try await piece in try await send(HTTPClientRequest(url: arguments.url)).body {
      bytes += piece.readableBytes
      first ^= piece.getInteger(at: piece.readerIndex) ?? 0
    }
    return bytes + Int(first & 0)
  }

  /// Its callbacks are a delegate's, on the event loop.
  private func download() async throws -> Int {
    let counter = Counter()
    return try await client.execute(request: HTTPClient.Request(url: arguments.url), delegate: counter).get()
  }

  private func file() async throws -> Int {
    let delegate = try FileDownloadDelegate(path: arguments.file + "." + UUID().uuidString)
    let progress = try await client.execute(request: HTTPClient.Request(url: arguments.url), delegate: delegate).get()
    return progress.receivedBytes
  }

  private func upload() async throws -> Int {
    var request = HTTPClientRequest(url: arguments.url)
    request.method = .PUT
    let piece = ByteBuffer(repeating: 0x61, count: pieceSize)
    let body = Repeating(bytes: arguments.bytes, piece: piece) { piece, count in piece.getSlice(at: 0, length: count) ?? piece }
    request.body = .stream(body, length: .known(Int64(arguments.bytes)))
    _ = try await send(request).body.collect(upTo: 1 << 20)
    return arguments.bytes
  }

  /// It has no bodies that are files: NIO reads it.
  private func uploadFile() async throws -> Int {
    try await FileSystem.shared.withFileHandle(forReadingAt: FilePath(arguments.file)) { file in
      let size = try await file.info().size
      var request = HTTPClientRequest(url: arguments.url)
      request.method = .PUT
      request.body = .stream(file.readChunks(chunkLength: .bytes(Int64(pieceSize))), length: .known(size))
      _ = try await send(request).body.collect(upTo: 1 << 20)
      return Int(size)
    }
  }

  private func json() async throws -> Int {
    var request = HTTPClientRequest(url: arguments.url)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/json")
    request.headers.add(name: "Accept", value: "application/json")
    request.body = .bytes(try JSONEncoder().encodeAsByteBuffer(Order.example, allocator: ByteBufferAllocator()))
    let body = try await send(request).body.collect(upTo: 1 << 20)
    _ = try JSONDecoder().decode(Order.self, from: body)
    return body.readableBytes
  }

  /// Responses whose bodies do not come: the memory of each, and what the processor does with them.
  private func slow() async throws -> Outcome {
    let before = Usage.residentKiB
    let responses = try await withThrowingTaskGroup(of: HTTPClientResponse.self) { group in
      for _ in 0..<arguments.concurrency { group.addTask { try await send(HTTPClientRequest(url: arguments.url)) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let outcome = try await idleFigures(of: arguments.concurrency, since: before)
    withExtendedLifetime(responses) {}
    return outcome
  }
}

/// Counts the bytes of a response.
private final class Counter: HTTPClientResponseDelegate {
  private let sum = Sum()

  func didReceiveBodyPart(task: HTTPClient.Task<Int>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
    sum.add(buffer.readableBytes, first: buffer.getInteger(at: buffer.readerIndex) ?? 0)
    return task.eventLoop.makeSucceededVoidFuture()
  }

  func didFinishRequest(task: HTTPClient.Task<Int>) throws -> Int { sum.bytes }
}
