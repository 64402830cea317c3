public import FaradayCore

/// Requests compressed responses and decompresses them: sets ``FaradayCore/Options/decompression`` for requests that have none.
///
///     connection.use(.decompress)
///
/// A request that has an `Accept-Encoding` of its own is left alone: `identity` asks for a response that is not compressed, and any
/// other value for the encoded bytes. So is one over an adapter without ``FaradayCore/Capabilities/encodedBodies``, which could not
/// say what was decoded. What is decoded, and the errors of a truncated body and a decompression bomb, are those of
/// ``FaradayCore/Decompression``.
public struct Decompress: RequestTransformer {
  private let limits: Decompression

  /// - Parameter limits: of the decoded body's size, and of its ratio to the encoded one.
  public init(limits: Decompression = .standard) { self.limits = limits }

  public func transformed(_ request: Request, capabilities: Capabilities) -> Request {
    guard request.options.decompression == nil, !request.headers.contains(.acceptEncoding), capabilities.contains(.encodedBodies)
    else { return request }
    var request = request
    request.options.decompression = limits
    return request
  }
}

extension Middleware where Self == Decompress {
  /// Requests compressed responses and decompresses them, with the default limits.
  public static var decompress: Self { Self() }

  /// Requests compressed responses and decompresses them, with these limits.
  public static func decompress(limits: Decompression) -> Self { Self(limits: limits) }
}
