/// What an adapter can do. A request that needs more fails with ``TransportError/Code/unsupported``, naming what it lacks.
public struct Capabilities: OptionSet, Sendable, Hashable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Methods other than those of RFC 9110.
  public static let customMethods = Capabilities(rawValue: 1 << 0)
  /// A body on GET.
  public static let bodyOnGet = Capabilities(rawValue: 1 << 1)
  /// Request bodies larger than memory, from a file or a sequence.
  public static let streamedUpload = Capabilities(rawValue: 1 << 2)
  /// Waiting for `100 Continue` when the request has `Expect: 100-continue`.
  public static let expectContinue = Capabilities(rawValue: 1 << 3)
  /// ``Options/onUploadProgress``.
  public static let uploadProgress = Capabilities(rawValue: 1 << 4)
  /// ``Delivery/streamed``.
  public static let streamedDownload = Capabilities(rawValue: 1 << 6)
  /// A consumer that stops reading stops the server.
  public static let backpressure = Capabilities(rawValue: 1 << 7)
  /// ``Options/onInformational``.
  public static let informational = Capabilities(rawValue: 1 << 10)
  /// Trailers of a response.
  public static let trailers = Capabilities(rawValue: 1 << 11)
  /// Repeated header fields stay repeated.
  public static let repeatedHeaders = Capabilities(rawValue: 1 << 12)
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

  /// Header fields arrive as they were written, in order and in their case; only `Host` and the body's framing are added.
  public static let exactHeaders = Capabilities(rawValue: 1 << 21)
  /// A path that has `.` or `..` segments is sent as it is.
  public static let dotSegments = Capabilities(rawValue: 1 << 22)
  /// Pieces of a request's body leave as they come, and the response is seen meanwhile.
  public static let duplex = Capabilities(rawValue: 1 << 23)
  /// ``HTTPVersionPolicy/http1``: HTTP/1.1 and nothing else.
  public static let http1Only = Capabilities(rawValue: 1 << 24)
  /// ``Response/version`` is what the response came over.
  public static let responseVersion = Capabilities(rawValue: 1 << 25)
  /// A body arrives as it was sent, whatever its `Content-Encoding`: ``Options/decompression`` needs it.
  public static let encodedBodies = Capabilities(rawValue: 1 << 26)
  /// A POST, PATCH or custom method is not sent again when its connection dies before the answer.
  public static let neverResends = Capabilities(rawValue: 1 << 27)
  /// A response whose head is cut off is an error, and harms nobody else.
  public static let truncatedHeads = Capabilities(rawValue: 1 << 28)
  /// ``RequestTarget/asterisk``.
  public static let asteriskTarget = Capabilities(rawValue: 1 << 29)
  /// Bytes that nobody asked for never answer a request: a kept connection on which something has arrived since is not used again.
  public static let cleanConnections = Capabilities(rawValue: 1 << 30)
  /// A body over TLS that only the connection's end ends is an error without a `close_notify` (RFC 9112, section 9.8): anybody on
  /// the way could have cut it off.
  public static let truncatedTLS = Capabilities(rawValue: 1 << 31)
  /// A response whose framing could be read in two ways is an error (RFC 9112, sections 2 to 7).
  public static let strictFraming = Capabilities(rawValue: 1 << 33)
  /// A 417 is answered by the request without its `Expect` (RFC 9110, section 10.1.1).
  public static let expectationFailed = Capabilities(rawValue: 1 << 34)
  /// ``Timeouts/idle`` counts whatever moves over the connection: a line that is not complete, a framing, what a slow server takes
  /// from the kernel.
  public static let idleOnWire = Capabilities(rawValue: 1 << 35)
  /// ``Timeouts/queue``.
  public static let queueTimeout = Capabilities(rawValue: 1 << 32)
  /// Requests with a body, and those that may not be repeated, go over kept connections and leave theirs to the next.
  public static let uploadReuse = Capabilities(rawValue: 1 << 36)

  /// A capability as a table shows it.
  public struct Entry: Sendable {
    public let name: String
    public let capability: Capabilities
    /// In a few words, what it is.
    public let meaning: String
  }

  /// All capabilities, in the order of a table.
  public static let entries: [Entry] = [
    Entry(name: "customMethods", capability: .customMethods, meaning: "methods other than those of RFC 9110"),
    Entry(name: "bodyOnGet", capability: .bodyOnGet, meaning: "a body on GET"),
    Entry(name: "exactHeaders", capability: .exactHeaders, meaning: "header fields sent in order, none added"),
    Entry(name: "repeatedHeaders", capability: .repeatedHeaders, meaning: "repeated header fields stay repeated"),
    Entry(name: "dotSegments", capability: .dotSegments, meaning: "`/./` and `/../` in a path sent as they are"),
    Entry(name: "asteriskTarget", capability: .asteriskTarget, meaning: "`OPTIONS *`"),
    Entry(name: "streamedUpload", capability: .streamedUpload, meaning: "request bodies from a file or a sequence"),
    Entry(name: "expectContinue", capability: .expectContinue, meaning: "`Expect: 100-continue`"),
    Entry(name: "expectationFailed", capability: .expectationFailed, meaning: "a 417 is answered without `Expect`"),
    Entry(name: "duplex", capability: .duplex, meaning: "a body sent as it comes, the response seen meanwhile"),
    Entry(name: "neverResends", capability: .neverResends, meaning: "a POST sent once, though its connection dies"),
    Entry(name: "uploadReuse", capability: .uploadReuse, meaning: "uploads over kept connections"),
    Entry(name: "cleanConnections", capability: .cleanConnections, meaning: "bytes nobody asked for answer no request"),
    Entry(name: "uploadProgress", capability: .uploadProgress, meaning: "`options.onUploadProgress`"),
    Entry(name: "streamedDownload", capability: .streamedDownload, meaning: "`options.delivery = .streamed`"),
    Entry(name: "backpressure", capability: .backpressure, meaning: "a reader that stops, stops the server"),
    Entry(name: "informational", capability: .informational, meaning: "`options.onInformational`"),
    Entry(name: "trailers", capability: .trailers, meaning: "`response.trailers`"),
    Entry(name: "truncatedHeads", capability: .truncatedHeads, meaning: "a response cut off in its head is an error"),
    Entry(name: "strictFraming", capability: .strictFraming, meaning: "a response of doubtful framing is an error"),
    Entry(name: "truncatedTLS", capability: .truncatedTLS, meaning: "a TLS body cut off without `close_notify` is an error"),
    Entry(
      name: "encodedBodies", capability: .encodedBodies, meaning: "compressed bodies as they were sent; `options.decompression`"),
    Entry(name: "queueTimeout", capability: .queueTimeout, meaning: "`options.timeouts.queue`"),
    Entry(name: "connectTimeout", capability: .connectTimeout, meaning: "`options.timeouts.connect`"),
    Entry(name: "idleTimeout", capability: .idleTimeout, meaning: "`options.timeouts.idle`"),
    Entry(name: "idleOnWire", capability: .idleOnWire, meaning: "which counts every byte on the wire"),
    Entry(name: "totalTimeout", capability: .totalTimeout, meaning: "`options.timeouts.total`"),
    Entry(name: "http2", capability: .http2, meaning: "`options.httpVersion = .http2`"),
    Entry(name: "http1Only", capability: .http1Only, meaning: "`options.httpVersion = .http1`"),
    Entry(name: "responseVersion", capability: .responseVersion, meaning: "`response.version`"),
    Entry(name: "customCA", capability: .customCA, meaning: "`options.tls.caFile`"),
    Entry(name: "unverifiedTLS", capability: .unverifiedTLS, meaning: "`options.tls.verifiesServer = false`"),
    Entry(name: "metrics", capability: .metrics, meaning: "`response.metrics`, every phase"),
  ]

  /// Every capability there is a name for.
  public static let all = entries.reduce(into: Capabilities()) { $0.formUnion($1.capability) }

  /// The names of what is in the set.
  public var names: [String] { Self.entries.filter { contains($0.capability) }.map(\.name) }
}
