import Dispatch
@_spi(Adapters) import Faraday
import Foundation
import Synchronization

/// An adapter of another package, over an engine that pushes. It reads the request's body and responds with the pieces that it
/// was created with.
struct PushingAdapter: Adapter {
  let pieces: [Data]
  var failure: TransportError.Code?
  var log = EngineLog()

  let capabilities: Capabilities = [.customMethods, .streamedUpload, .streamedDownload, .backpressure, .trailers]

  func send(_ request: Request) async throws -> Response {
    try Task.checkCancellation()
    let checked = try capabilities.checked(request, of: "PushingAdapter")
    log.sent(checked)
    try await upload(request)
    let length = failure == nil ? Int64(pieces.reduce(0) { $0 + $1.count }) : nil
    let (status, headers): (HTTPResponse.Status, HTTPFields) = (.ok, [.server: "pushing"])
    let engine = PushingEngine(pieces, failure: failure.map { TransportError($0, building: request, "") }, log: log)
    defer { engine.resume() }

    let stream = ResponseStream(capacity: 10_000, gathers: request.options.onChunk == nil)
    engine.stream = stream
    return response(to: request, status, headers, stream, length, engine)
  }

  /// Takes the body out of a send buffer, as an engine does.
  private func upload(_ request: Request) async throws {
    let buffer = SendBuffer(length: request.body.length)
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self)
    let pump = Task { await buffer.pump(request.body) { wake.yield() } }
    defer {
      buffer.close()
      pump.cancel()
    }
    buffer.open()
    var bytes = [UInt8](repeating: 0, count: 5000)
    var turns = wakes.makeAsyncIterator()
    while true {
      switch bytes.withUnsafeMutableBytes(buffer.fill) {
      case .bytes(let count): log.received(count)
      case .dry: await turns.next()
      case .end: return
      case .failed:
        throw TransportError(
          .bodyUnreadable, phase: .sending, method: request.method, url: request.url, message: "the body failed",
          underlying: buffer.failure)
      }
    }
  }

  private func response(
    to request: Request, _ status: HTTPResponse.Status, _ headers: HTTPFields, _ stream: ResponseStream, _ length: Int64?,
    _ engine: PushingEngine
  ) -> Response {
    let body = stream.body(length: length) {
      engine.resume()
    } onUnwanted: {
      engine.cancel()
    }
    return Response(status: status, headers: headers, body: body, url: request.url, stream: stream)
  }
}

/// Counts the operations of an adapter's engines.
final class EngineLog: Sendable {
  private struct State {
    var (pauses, cancellations, written, received) = (0, 0, 0, 0)
    var origin: String?
    var fields: [HTTPField] = []
  }
  private let state = Mutex(State())

  var pauses: Int { state.withLock { $0.pauses } }
  var cancellations: Int { state.withLock { $0.cancellations } }
  var written: Int { state.withLock { $0.written } }
  var received: Int { state.withLock { $0.received } }
  var origin: String? { state.withLock { $0.origin } }
  var fields: [HTTPField] { state.withLock { $0.fields } }

  func paused() { state.withLock { $0.pauses += 1 } }
  func cancelled() { state.withLock { $0.cancellations += 1 } }
  func received(_ count: Int) { state.withLock { $0.received += count } }
  func sent(_ request: CheckedRequest) {
    state.withLock { ($0.origin, $0.fields) = (request.target.origin, request.fields) }
  }
  func wrote() { state.withLock { $0.written += 1 } }
}

/// Writes pieces on a queue of its own, as long as there is room.
// Safe to share: all that changes is touched on its queue alone, but for the stream, which is set before anybody else has it.
final class PushingEngine: @unchecked Sendable {
  var stream: ResponseStream?
  private let queue = DispatchQueue(label: "pushing")
  private var rest: ArraySlice<Data>
  private let failure: TransportError?
  private let log: EngineLog

  init(_ pieces: [Data], failure: TransportError?, log: EngineLog) {
    rest = pieces[...]
    self.failure = failure
    self.log = log
  }

  func resume() { queue.async { self.run() } }

  func cancel() {
    queue.async {
      self.log.cancelled()
      self.stream?.fail(CancellationError())
    }
  }

  private func run() {
    guard let stream else { return }
    if stream.flush() == .stop { return stream.fail(CancellationError()) }
    while let piece = rest.popFirst() {
      log.wrote()
      switch stream.write(piece) {
      case .more: continue
      case .pause: return log.paused()
      case .stop: return stream.fail(CancellationError())
      }
    }
    if let failure {
      stream.fail(failure)
    } else {
      stream.finish(trailers: [.eTag: "\"end\""])
    }
  }
}
