/// The options of a request: delivery, limits, timeouts, TLS, HTTP version, decompression, callbacks, and settings of middleware.
///
/// A copy-on-write value: copying it costs one retain.
public struct Options: Sendable {
  private var fields = Self.defaults
  private static let defaults = CopyOnWrite(Fields())

  /// The default options.
  public init() {}

  /// How the response's body is delivered: ``Delivery/buffered`` by default. ``onChunk`` takes precedence.
  public var delivery: Delivery {
    get { fields.value.delivery }
    set { fields.unique.value.delivery = newValue }
  }

  /// The maximum size of a buffered response body, in bytes: 64 MiB by default. A larger one throws
  /// ``TransportError/Code/bodyTooLarge``.
  public var maximumBodySize: Int {
    get { fields.value.maximumBodySize }
    set { fields.unique.value.maximumBodySize = newValue }
  }

  /// The timeouts: 30 s to connect, 60 s idle, and no others by default.
  public var timeouts: Timeouts {
    get { fields.value.timeouts }
    set { fields.unique.value.timeouts = newValue }
  }

  /// The HTTP versions that the request may use: ``HTTPVersionPolicy/automatic`` by default.
  public var httpVersion: HTTPVersionPolicy {
    get { fields.value.httpVersion }
    set { fields.unique.value.httpVersion = newValue }
  }

  /// The request target: the URL's path and query by default.
  public var requestTarget: RequestTarget {
    get { fields.value.requestTarget }
    set { fields.unique.value.requestTarget = newValue }
  }

  /// TLS: how the server is verified, the client's certificate, versions and ciphers.
  public var tls: TLS {
    get { transport?.fields.tls ?? TLS() }
    set { changeTransport { $0.tls = newValue } }
  }

  /// The proxy: ``ProxySelection/automatic`` by default, which is the adapter's.
  public var proxy: ProxySelection {
    get { transport?.fields.proxy ?? .automatic }
    set { changeTransport { $0.proxy = newValue } }
  }

  /// How the server is reached: other addresses, DNS, the local end, TCP.
  public var network: Network {
    get { transport?.fields.network ?? Network() }
    set { changeTransport { $0.network = newValue } }
  }

  /// The addresses and ports that may be connected to; nil, the default, allows all.
  public var addressPolicy: AddressPolicy? {
    get { transport?.fields.addressPolicy }
    set { changeTransport { $0.addressPolicy = newValue } }
  }

  /// A user and password that the transport negotiates with the server (Digest, NTLM, Negotiate); nil by default.
  public var authentication: Authentication? {
    get { transport?.fields.authentication }
    set { changeTransport { $0.authentication = newValue } }
  }

  /// Limits of the rates of sending and receiving, and a minimum rate; none by default.
  public var rates: TransferRates {
    get { transport?.fields.rates ?? TransferRates() }
    set { changeTransport { $0.rates = newValue } }
  }

  /// Asks the server before a large body is sent; nil, the default, does so only for a request with an `Expect` header.
  public var expectContinue: ExpectContinue? {
    get { transport?.fields.expectContinue }
    set { changeTransport { $0.expectContinue = newValue } }
  }

  /// Whether bytes without a status line are a response of HTTP/0.9, and not an error: its status is 200, its ``Response/version``
  /// ``HTTPVersion/http0_9``, and the close of the connection ends its body, cut or not. False by default: whatever listens at the
  /// port would have answered. For devices that know nothing else; the request is sent as ever.
  public var acceptsHTTP0_9: Bool {
    get { transport?.fields.acceptsHTTP0_9 ?? false }
    set { changeTransport { $0.acceptsHTTP0_9 = newValue } }
  }

  /// The trailers of the request (RFC 9112, section 7.1.2), asked for once the body has been sent. The body must be a stream of
  /// unknown length, which is sent in chunks; over HTTP/1.1 only. The request should name them in a `Trailer` header.
  public var requestTrailers: RequestTrailers? {
    get { transport?.fields.requestTrailers }
    set { changeTransport { $0.requestTrailers = newValue } }
  }

  /// Whether a compressed response is requested, and decoded. Nil (off) by default: the body has the bytes that were received.
  public var decompression: Decompression? {
    get { fields.value.decompression }
    set { fields.unique.value.decompression = newValue }
  }

  /// Called with each piece of the body as it arrives; the response then has an empty body.
  public var onChunk: ChunkHandler? {
    get { fields.value.onChunk }
    set { fields.unique.value.onChunk = newValue }
  }

  /// Called with the response's head, before the body.
  public var onHead: HeadHandler? {
    get { fields.value.onHead }
    set { fields.unique.value.onHead = newValue }
  }

  /// Called with each informational (1xx) response.
  public var onInformational: InformationalHandler? {
    get { fields.value.onInformational }
    set { fields.unique.value.onInformational = newValue }
  }

  /// Called with the bytes of each head of a response, as they were received: of informational responses, of challenges that
  /// ``authentication`` answers, and of the final one; and with those of the trailers.
  public var onRawHead: RawHeadHandler? {
    get { transport?.fields.onRawHead }
    set { changeTransport { $0.onRawHead = newValue } }
  }

  /// Called with each step of the exchange, for debugging. It costs much of the speed.
  public var onTrace: TraceHandler? {
    get { transport?.fields.onTrace }
    set { changeTransport { $0.onTrace = newValue } }
  }

  /// Called as the request's body is sent.
  public var onUploadProgress: ProgressHandler? {
    get { fields.value.onUploadProgress }
    set { fields.unique.value.onUploadProgress = newValue }
  }

  /// Called as the response's body is received.
  public var onDownloadProgress: ProgressHandler? {
    get { fields.value.onDownloadProgress }
    set { fields.unique.value.onDownloadProgress = newValue }
  }

  /// Whether the caller sees nothing of the response before it is complete: buffered delivery without ``onChunk``, ``onHead`` and
  /// ``onDownloadProgress``. Then a middleware may buffer it, and retry after a truncated body; and an adapter may return a small
  /// response with its body.
  public var deliversWhole: Bool {
    fields.value.delivery == .buffered && fields.value.onChunk == nil && fields.value.onHead == nil
      && fields.value.onDownloadProgress == nil
  }

  /// A custom option, under a key that a middleware or the caller has declared: see ``OptionKey``.
  public subscript<Key: OptionKey>(key: Key.Type) -> Key.Value {
    get {
      // Looked up first: casting a missing value to an optional type would succeed.
      guard let stored = fields.value.values[ObjectIdentifier(key)] else { return key.defaultValue }
      return stored as? Key.Value ?? key.defaultValue
    }
    set { fields.unique.value.values[ObjectIdentifier(key)] = newValue }
  }

  /// The custom options.
  var custom: [ObjectIdentifier: any Sendable] { fields.value.values }

  /// The number of custom options.
  var keyCount: Int { fields.value.values.count }

  /// What identifies the client to an origin.
  struct Credentials: Sendable {
    let authentication: Authentication?
    let clientCertificate: ClientCertificate?
  }

  /// Its ``authentication`` and ``TLS/clientCertificate``; nil if there is neither.
  var credentials: Credentials? {
    let found = Credentials(authentication: authentication, clientCertificate: tls.clientCertificate)
    return found.authentication == nil && found.clientCertificate == nil ? nil : found
  }

  /// Removes those of these credentials that are still the same.
  mutating func remove(_ credentials: Credentials) {
    if let own = credentials.authentication, authentication == own { authentication = nil }
    if let own = credentials.clientCertificate, tls.clientCertificate == own { tls.clientCertificate = nil }
  }

  /// Removes what identifies the client to an origin: ``authentication`` and ``TLS/clientCertificate``.
  package mutating func removeCredentials() {
    if authentication != nil { authentication = nil }
    if tls.clientCertificate != nil { tls.clientCertificate = nil }
  }

  /// The options that few requests set; nil if this one sets none.
  package var transport: UncommonOptions? { fields.value.transport }

  private mutating func changeTransport(_ change: (inout UncommonOptions.Fields) -> Void) {
    var changed = transport?.fields ?? UncommonOptions.Fields()
    change(&changed)
    fields.unique.value.transport = UncommonOptions(changed)
  }

  private struct Fields {
    var delivery = Delivery.buffered
    var maximumBodySize = 64 << 20
    var timeouts = Timeouts()
    var httpVersion = HTTPVersionPolicy.automatic
    var requestTarget = RequestTarget.origin
    var transport: UncommonOptions?
    var decompression: Decompression?
    var onChunk: ChunkHandler?
    var onHead: HeadHandler?
    var onInformational: InformationalHandler?
    var onUploadProgress: ProgressHandler?
    var onDownloadProgress: ProgressHandler?
    var values: [ObjectIdentifier: any Sendable] = [:]
  }
}

/// The key of a custom per-request option, with its type and default value.
///
///     enum Attempts: OptionKey { static let defaultValue = 3 }
///     request.options[Attempts.self] = 5
public protocol OptionKey {
  /// The type of the option.
  associatedtype Value: Sendable
  /// The value of a request that does not set the option.
  static var defaultValue: Value { get }
}
