/// What an adapter can do. A request that needs more fails with ``TransportError/Code/unsupported``, naming what it lacks.
public struct Capabilities: OptionSet, Sendable, Hashable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Methods other than those of RFC 9110.
  public static let customMethods = Capabilities(rawValue: 1 << 0)
  /// A body on GET, DELETE and OPTIONS.
  public static let bodyOnAnyMethod = Capabilities(rawValue: 1 << 1)
  /// Request bodies larger than memory, from a file or a sequence.
  public static let streamedUpload = Capabilities(rawValue: 1 << 2)
  /// Waiting for `100 Continue` when the request has `Expect: 100-continue`.
  public static let expectContinue = Capabilities(rawValue: 1 << 3)
  /// ``Options/onUploadProgress``.
  public static let uploadProgress = Capabilities(rawValue: 1 << 4)
  /// ``Options/onDownloadProgress``.
  public static let downloadProgress = Capabilities(rawValue: 1 << 5)
  /// ``Delivery/streamed``.
  public static let streamedDownload = Capabilities(rawValue: 1 << 6)
  /// A consumer that stops reading stops the server. (Over libcurl before 8.4 not on HTTP/2, see ``Delivery/streamed``.)
  public static let backpressure = Capabilities(rawValue: 1 << 7)
  /// ``Options/onChunk``.
  public static let chunkCallback = Capabilities(rawValue: 1 << 8)
  /// ``Options/onHead``.
  public static let headCallback = Capabilities(rawValue: 1 << 9)
  /// ``Options/onInformational``.
  public static let informational = Capabilities(rawValue: 1 << 10)
  /// Trailers of a response.
  public static let trailers = Capabilities(rawValue: 1 << 11)
  /// Repeated header fields stay repeated.
  public static let repeatedHeaders = Capabilities(rawValue: 1 << 12)
  /// ``Options/decompression``.
  public static let decompression = Capabilities(rawValue: 1 << 13)
  /// ``Timeouts/connect``.
  public static let connectTimeout = Capabilities(rawValue: 1 << 14)
  /// ``Timeouts/idle``.
  public static let idleTimeout = Capabilities(rawValue: 1 << 15)
  /// ``Timeouts/total``.
  public static let totalTimeout = Capabilities(rawValue: 1 << 16)
  /// HTTP/2 over TLS.
  public static let http2 = Capabilities(rawValue: 1 << 17)
  /// ``TLS/caFile``.
  public static let customCA = Capabilities(rawValue: 1 << 18)
  /// ``TLS/verifiesServer`` switched off.
  public static let unverifiedTLS = Capabilities(rawValue: 1 << 19)
  /// ``Response/metrics``, every phase.
  public static let metrics = Capabilities(rawValue: 1 << 20)

  /// The capabilities by name, in the order of a table.
  public static let named: [(name: String, capability: Capabilities)] = [
    ("customMethods", .customMethods), ("bodyOnAnyMethod", .bodyOnAnyMethod), ("streamedUpload", .streamedUpload),
    ("expectContinue", .expectContinue), ("uploadProgress", .uploadProgress), ("downloadProgress", .downloadProgress),
    ("streamedDownload", .streamedDownload), ("backpressure", .backpressure), ("chunkCallback", .chunkCallback),
    ("headCallback", .headCallback), ("informational", .informational), ("trailers", .trailers),
    ("repeatedHeaders", .repeatedHeaders), ("decompression", .decompression), ("connectTimeout", .connectTimeout),
    ("idleTimeout", .idleTimeout), ("totalTimeout", .totalTimeout), ("http2", .http2), ("customCA", .customCA),
    ("unverifiedTLS", .unverifiedTLS), ("metrics", .metrics),
  ]

  /// Every capability there is a name for.
  public static let all = named.reduce(into: Capabilities()) { $0.formUnion($1.capability) }

  /// The names of what is in the set.
  public var names: [String] { Self.named.filter { contains($0.capability) }.map(\.name) }
}

extension Capabilities {
  /// Throws ``TransportError/Code/unsupported`` if the request needs more than this, naming what.
  public func check(_ request: Request) throws {
    guard self != .all else { return }
    let missing = Capabilities(neededBy: request).subtracting(self)
    guard missing.isEmpty else {
      throw TransportError(
        .unsupported, building: request, "the adapter has no \(missing.names.joined(separator: ", "))")
    }
  }

  /// What the request cannot do without.
  public init(neededBy request: Request) {
    self = []
    let options = request.options
    if !Self.registeredMethods.contains(request.method) { insert(.customMethods) }
    if request.body.isStreamed { insert(.streamedUpload) }
    if !request.body.isEmpty, Self.bodylessMethods.contains(request.method) { insert(.bodyOnAnyMethod) }
    if request.headers.contains(.expect) { insert(.expectContinue) }
    if options.onUploadProgress != nil { insert(.uploadProgress) }
    if options.onDownloadProgress != nil { insert(.downloadProgress) }
    if options.onChunk != nil { insert(.chunkCallback) } else if options.delivery == .streamed { insert(.streamedDownload) }
    if options.onHead != nil { insert(.headCallback) }
    if options.onInformational != nil { insert(.informational) }
    if options.decompression != nil { insert(.decompression) }
    if options.httpVersion == .http2 { insert(.http2) }
    if options.tls.caFile != nil { insert(.customCA) }
    if !options.tls.verifiesServer { insert(.unverifiedTLS) }
  }

  private static let registeredMethods: Set<HTTPRequest.Method> = [
    .get, .head, .post, .put, .patch, .delete, .options, .trace,
  ]
  private static let bodylessMethods: Set<HTTPRequest.Method> = [.get, .head, .delete, .options, .trace]
}
