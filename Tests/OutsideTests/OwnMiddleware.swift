@_spi(Adapters) import Faraday
import Foundation
import Synchronization

// Code of another package: this target sees only the public interface.

/// Retries 503 responses, and truncated bodies that the caller gets whole.
struct SmallRetry: Middleware {
  let retries: Int

  func handle(_ request: Request, next: Next) async throws -> Response {
    var left = retries
    while true {
      do {
        let response = try await next(request)
        guard left > 0, response.status == .serviceUnavailable else {
          return request.options.deliversWhole ? try await response.collected(for: request) : response
        }
        await response.body.discard()
      } catch let error as TransportError where left > 0 && error.code == .truncatedResponse {
      }
      left -= 1
    }
  }
}

/// Stores 200 responses to GET, and returns them from then on.
struct SmallCache: Middleware {
  private let store = Store()

  func handle(_ request: Request, next: Next) async throws -> Response {
    guard request.method == .get else { return try await next(request) }
    let key = request.url.absoluteString
    if let kept = store[key] { return Response(status: kept.status, headers: kept.headers, body: kept.body, url: request.url) }
    var response = try await next(request)
    guard response.status == .ok else { return response }
    let head = response
    let pieces = Watched(body: response.body) { [store] whole in
      store[key] = Response(status: head.status, headers: head.headers, body: .data(whole), url: head.url)
    }
    response.body = .stream(pieces, length: response.body.length)
    return response
  }

  private final class Store: Sendable {
    private let responses = Mutex<[String: Response]>([:])

    subscript(key: String) -> Response? {
      get { responses.withLock { $0[key] } }
      set { responses.withLock { $0[key] = newValue } }
    }
  }
}

/// Leaves a hash of the body (FNV-1a) where the caller finds it once the body has ended.
struct BodyHash: Middleware {
  func handle(_ request: Request, next: Next) async throws -> Response {
    var response = try await next(request)
    let hash = Hash()
    response[Hash.self] = hash
    response.body = .stream(Watched(body: response.body) { hash.set(Hash.fnv($0)) }, length: response.body.length)
    return response
  }

  final class Hash: ResponseKey, Sendable {
    typealias Value = Hash
    private let state = Mutex<UInt64?>(nil)

    var value: UInt64? { state.withLock { $0 } }
    func set(_ value: UInt64) { state.withLock { $0 = value } }

    static func fnv(_ bytes: Data) -> UInt64 {
      bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
  }
}

extension Response {
  var hash: UInt64? { self[BodyHash.Hash.self]?.value }
}

/// Passes a body on unchanged, and reports its hash at its end. A truncated body reports nothing.
struct Watched: AsyncSequence, Sendable {
  let body: Body
  let whole: @Sendable (Data) -> Void

  func makeAsyncIterator() -> Iterator { Iterator(rest: body.makeAsyncIterator(), whole: whole) }

  struct Iterator: AsyncIteratorProtocol {
    var rest: Body.AsyncIterator
    let whole: @Sendable (Data) -> Void
    var seen = Data()

    mutating func next() async throws -> Data? {
      guard let piece = try await rest.next() else {
        whole(seen)
        return nil
      }
      seen += piece
      return piece
    }
  }
}
