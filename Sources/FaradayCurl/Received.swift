internal import FaradayCore
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What the engine hands to the waiting task, still in bytes: parsing is done there, and not on the engine's thread.
struct Received: Sendable {
  enum Content: Sendable {
    case whole(GatheredBody, trailers: [UInt8])
    case stream(StreamedBody, length: Int64?)
  }

  let head: RawHead
  let content: Content
  let metrics: Metrics
  /// Where the end of a stream is told.
  let ending: Response.Ending?

  func response(to request: Request) -> Response {
    let (response, version) = head.parsed()
    let (body, trailers): (Body, [UInt8]) =
      switch content {
      case .whole(let body, let trailers): (.data(body.joined()), trailers)
      case .stream(let stream, let length): (.stream(stream, length: length), [])
      }
    return Response(
      status: response.status, headers: response.headerFields, body: body, trailers: RawHead.fields(trailers),
      url: request.url, version: version, metrics: metrics, ending: ending)
  }
}
