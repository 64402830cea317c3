public import FaradayCore

/// Requests compressed responses and decompresses them: sets ``FaradayCore/Options/decompression`` for requests that have none.
///
///     connection.use(.contentDecoding)
///
/// A request with its own `Accept-Encoding` is passed on unchanged: `identity` requests an uncompressed response, and any other
/// value requests the encoded bytes. A request over an adapter without ``FaradayCore/Capabilities/encodedBodies`` is passed on
/// too, because that adapter cannot report what it decoded. ``FaradayCore/Decompression`` lists the supported encodings, and
/// the errors of a truncated body and a decompression bomb.
public struct ContentDecoding: RequestTransformer {
  private let limits: Decompression

  /// - Parameter limits: the limits for the size of the decoded body, and for its ratio to the encoded body.
  public init(limits: Decompression = .standard) { self.limits = limits }

  public func transformed(_ request: Request, capabilities: Capabilities) -> Request {
    guard request.options.decompression == nil, !request.headers.contains(.acceptEncoding), capabilities.contains(.encodedBodies)
    else { return request }
    var request = request
    request.options.decompression = limits
    return request
  }
}

extension Middleware where Self == ContentDecoding {
  /// Requests compressed responses and decompresses them, with the default limits.
  public static var contentDecoding: Self { Self() }

  /// Requests compressed responses and decompresses them, with these limits.
  public static func contentDecoding(limits: Decompression) -> Self { Self(limits: limits) }
}
