import Faraday
import FaradayCurl
import FaradayURLSession
import Synchronization

/// The adapters that a middleware is tested over. A test that needs a server takes one of these as its argument.
enum TestedAdapter: String, CaseIterable, Sendable {
  case curl, urlSession

  private static let curlAdapter = CurlAdapter()
  private static let urlSessionAdapter = URLSessionAdapter()

  var adapter: any Adapter {
    switch self {
    case .curl: Self.curlAdapter
    case .urlSession: Self.urlSessionAdapter
    }
  }
}

/// How a middleware's response is read.
enum TestedDelivery: String, CaseIterable, Sendable {
  case buffered, streamed, callback

  /// Sends a GET and gives the response with its whole body as text, whichever way that came.
  func get(_ path: String, over connection: Connection) async throws -> (response: Response, text: String) {
    try await send(connection.request(.get, path), over: connection)
  }

  /// Sends a request and gives the response with its whole body as text, whichever way that came.
  func send(_ request: Request, over connection: Connection) async throws -> (response: Response, text: String) {
    var request = request
    switch self {
    case .buffered:
      let response = try await connection.run(request)
      return (response, try await response.body.text())
    case .streamed:
      request.options.delivery = .streamed
      let response = try await connection.run(request)
      return (response, try await response.body.text())
    case .callback:
      let bytes = Mutex<[UInt8]>([])
      request.options.onChunk = { piece in
        bytes.withLock { bytes in piece.withUnsafeBytes { bytes += $0 } }
        return .continue
      }
      let response = try await connection.run(request)
      return (response, bytes.withLock { String(decoding: $0, as: UTF8.self) })
    }
  }
}
