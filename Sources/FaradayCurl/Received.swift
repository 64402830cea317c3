internal import FaradayCore

/// What the engine hands to the waiting task, still in bytes: parsing is done there, and not on the engine's thread.
struct Received: Sendable {
  enum Content: Sendable {
    case whole(Data, trailers: [UInt8])
    case stream(Body, ResponseStream)
  }

  let head: RawHead
  let content: Content
  let metrics: Metrics

  func response(to request: Request) -> Response {
    let (response, version) = head.parsed()
    switch content {
    case .whole(let data, let trailers):
      return Response(
        status: response.status, headers: response.headerFields, body: .data(data), trailers: RawHead.fields(trailers),
        url: request.url, version: version, metrics: metrics)
    case .stream(let body, let stream):
      return Response(
        status: response.status, headers: response.headerFields, body: body, url: request.url, version: version, metrics: metrics,
        stream: stream)
    }
  }
}
