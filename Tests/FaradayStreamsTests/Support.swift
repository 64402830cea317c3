import Faraday
import FaradayTesting

/// A body that comes in pieces, and then ends or fails.
struct Script: AsyncSequence, Sendable {
  typealias Element = Data
  let pieces: [Data]
  let error: (any Error)?

  init(_ texts: [String], error: (any Error)? = nil) {
    pieces = texts.map { Data($0.utf8) }
    self.error = error
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: pieces[...], error: error) }

  struct AsyncIterator: AsyncIteratorProtocol {
    var rest: ArraySlice<Data>
    let error: (any Error)?

    mutating func next() async throws -> Data? {
      if let piece = rest.popFirst() { return piece }
      if let error { throw error }
      return nil
    }
  }
}

extension MockAdapter {
  /// Answers the next request with an event stream that ends, or fails with this error of the transport.
  func stream(_ texts: String..., breaking code: TransportError.Code? = nil) {
    stub(times: 1) { request in
      let error = code.map { TransportError($0, phase: .receiving, method: request.method, url: request.url, message: "broken") }
      return Response(
        status: .ok, headers: [.contentType: "text/event-stream"], body: .stream(Script(texts, error: error)), url: request.url)
    }
  }

  /// Answers the next request with a status.
  func status(_ code: Int, headers: HTTPFields = [:], times: Int = 1) {
    stub(times: times) { Response(status: HTTPResponse.Status(code: code), headers: headers, body: "no", url: $0.url) }
  }

  /// Fails the next request.
  func fail(_ code: TransportError.Code, times: Int = 1) {
    stub(times: times) { throw TransportError(code, phase: .connecting, method: $0.method, url: $0.url, message: "failed") }
  }

  /// The `Last-Event-ID` of each request.
  var lastEventIDs: [String?] { recorded.map { $0.request.headers[.lastEventID] } }
}

/// The elements until the end, and the error that it was.
func all<Elements: AsyncSequence>(_ elements: Elements) async -> (elements: [Elements.Element], error: (any Error)?) {
  var all: [Elements.Element] = []
  do {
    for try await element in elements { all.append(element) }
  } catch {
    return (all, error)
  }
  return (all, nil)
}
