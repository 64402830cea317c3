package import FaradayCore
internal import FaradayCurl
internal import FaradayURLSession
internal import Synchronization

/// The adapters that whatever stands above them is tested over. A test that needs a server takes one of these as its argument.
package enum TestedAdapter: String, CaseIterable, Sendable {
  case curl, urlSession

  private static let curlAdapter = CurlAdapter()
  private static let urlSessionAdapter = URLSessionAdapter()

  package var adapter: any Adapter {
    switch self {
    case .curl: Self.curlAdapter
    case .urlSession: Self.urlSessionAdapter
    }
  }
}

/// How a middleware's response is read.
package enum TestedDelivery: String, CaseIterable, Sendable {
  case buffered, streamed, callback

  /// Sends a GET and gives the response with its whole body as text, whichever way that came.
  package func get(_ path: String, over connection: Connection) async throws -> (response: Response, text: String) {
    try await send(connection.request(.get, path), over: connection)
  }

  /// Sends a request and gives the response with its whole body as text, whichever way that came.
  package func send(_ request: Request, over connection: Connection) async throws -> (response: Response, text: String) {
    var request = request
    switch self {
    case .buffered:
      let response = try await connection.send(request)
      return (response, try await response.body.utf8Text())
    case .streamed:
      request.options.delivery = .streamed
      let response = try await connection.send(request)
      return (response, try await response.body.utf8Text())
    case .callback:
      let bytes = Mutex<[UInt8]>([])
      request.options.onChunk = { piece in
        bytes.withLock { bytes in piece.withUnsafeBytes { bytes += $0 } }
        return .continue
      }
      let response = try await connection.send(request)
      return (response, bytes.withLock { String(decoding: $0, as: UTF8.self) })
    }
  }
}
