public import FaradayCore

/// Compresses request bodies, for servers that decode them. See ``FaradayCore/Request/compressBody(_:)``, which compresses the
/// body of one request.
///
///     let connection = try Connection(
///       "https://logs.example.com/", adapter: CurlAdapter(), middleware: .standard(compression: .compression))
///
/// Bodies below a minimum size, empty bodies, values that are not encoded yet, and requests with a `Content-Encoding` or a
/// digest are passed on unchanged. Place it after the middleware that encodes values, and before a signature.
public struct Compression: RequestTransformer {
  private let compression: BodyCompression
  private let minimumSize: Int64

  /// - Parameters:
  ///   - compression: the content coding; gzip by default.
  ///   - minimumSize: the smallest body that is compressed, in bytes; 1 KiB by default. A body of unknown length is compressed.
  public init(_ compression: BodyCompression = .gzip, minimumSize: Int64 = 1024) {
    self.compression = compression
    self.minimumSize = minimumSize
  }

  public func transformed(_ request: Request, capabilities: Capabilities) throws -> Request {
    guard !request.body.isEmpty, request.body.length ?? .max >= minimumSize, request.body.unencodedValue == nil else {
      return request
    }
    var request = request
    try request.compressBody(compression)
    return request
  }
}

extension Middleware where Self == Compression {
  /// Compresses request bodies of 1 KiB or more with gzip.
  public static var compression: Self { Self() }

  /// Compresses request bodies of a minimum size.
  public static func compression(_ compression: BodyCompression = .gzip, minimumSize: Int64 = 1024) -> Self {
    Self(compression, minimumSize: minimumSize)
  }
}
