import Dispatch
import Faraday
import Foundation
import Synchronization

/// An adapter of somebody else's, over an engine that pushes: it answers with the pieces that it was made with.
struct PushingAdapter: Adapter {
  let pieces: [Data]
  var failure: TransportError.Code?
  var log = EngineLog()

  let capabilities: Capabilities = [.customMethods, .streamedDownload, .backpressure, .trailers]

  func send(_ request: Request) async throws -> Response {
    try Task.checkCancellation()
    try capabilities.check(request, of: "PushingAdapter")
    let length = failure == nil ? Int64(pieces.reduce(0) { $0 + $1.count }) : nil
    let (status, headers): (HTTPResponse.Status, HTTPFields) = (.ok, [.server: "pushing"])
    let engine = PushingEngine(pieces, failure: failure.map { TransportError($0, building: request, "") }, log: log)
    defer { engine.resume() }

    let stream = ResponseStream(capacity: 10_000, gathers: request.options.onChunk == nil)
    engine.stream = stream
    return response(to: request, status, headers, stream, length, engine)
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

/// What the engines of an adapter have done.
final class EngineLog: Sendable {
  private let state = Mutex((pauses: 0, cancellations: 0, written: 0))

  var pauses: Int { state.withLock { $0.pauses } }
  var cancellations: Int { state.withLock { $0.cancellations } }
  var written: Int { state.withLock { $0.written } }

  func paused() { state.withLock { $0.pauses += 1 } }
  func cancelled() { state.withLock { $0.cancellations += 1 } }
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
