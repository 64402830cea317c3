private import Synchronization

/// The options of a request: delivery, limits, timeouts, TLS, HTTP version, decompression, callbacks, and settings of
/// middleware.
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

  /// TLS options: verification of the server, the client's certificate, versions and ciphers.
  public var tls: TLS {
    get { transport?.fields.tls ?? TLS() }
    set { changeTransport { $0.tls = newValue } }
  }

  /// The proxy: ``ProxySelection/automatic`` by default, the adapter's proxy.
  public var proxy: ProxySelection {
    get { transport?.fields.proxy ?? .automatic }
    set { changeTransport { $0.proxy = newValue } }
  }

  /// Network options: other addresses, DNS, the local address, TCP.
  public var network: Network {
    get { transport?.fields.network ?? Network() }
    set { changeTransport { $0.network = newValue } }
  }

  /// The policy for addresses and ports to connect to; nil, the default, allows all.
  public var addressPolicy: AddressPolicy? {
    get { transport?.fields.addressPolicy }
    set { changeTransport { $0.addressPolicy = newValue } }
  }

  /// A user and password that the transport negotiates with the server (Digest, NTLM, Negotiate); nil by default.
  public var authentication: TransportAuthentication? {
    get { transport?.fields.authentication }
    set { changeTransport { $0.authentication = newValue } }
  }

  /// Maximum rates of sending and receiving, and a minimum rate; none by default.
  public var rates: TransferRates {
    get { transport?.fields.rates ?? TransferRates() }
    set { changeTransport { $0.rates = newValue } }
  }

  /// Waits for `100 Continue` before a large body is sent. Nil, the default, waits only if the request has an `Expect` header.
  public var expectContinue: ExpectContinue? {
    get { transport?.fields.expectContinue }
    set { changeTransport { $0.expectContinue = newValue } }
  }

  /// Whether bytes without a status line are accepted as an HTTP/0.9 response, for devices that support only HTTP/0.9. The
  /// response has the status 200 and the ``Response/version`` ``HTTPVersion/http0_9``. The close of the connection ends its
  /// body, so a truncated body is not detected. False by default, because the bytes of any other protocol would count as a
  /// response. The request is sent unchanged.
  public var acceptsHTTP0_9: Bool {
    get { transport?.fields.acceptsHTTP0_9 ?? false }
    set { changeTransport { $0.acceptsHTTP0_9 = newValue } }
  }

  /// The protocol that the connection switches to: see ``Upgrade``. Nil by default.
  public var upgrade: Upgrade? {
    get { transport?.fields.upgrade }
    set { changeTransport { $0.upgrade = newValue } }
  }

  /// The trailers of the request (RFC 9112, section 7.1.2), returned by a closure that is called after the body was sent. The
  /// body must be a stream of unknown length, which is sent in chunks. HTTP/1.1 only. Name the trailer fields in a `Trailer`
  /// header.
  public var requestTrailers: RequestTrailers? {
    get { transport?.fields.requestTrailers }
    set { changeTransport { $0.requestTrailers = newValue } }
  }

  /// Whether a compressed response is requested, and decoded. Nil (off) by default: the body has the bytes that were received.
  public var decompression: Decompression? {
    get { fields.value.decompression }
    set { fields.unique.value.decompression = newValue }
  }

  /// Encodes `json:` arguments and values that are encoded as JSON, unless a call has its own encoder; nil, the default, sorts
  /// members by name. All requests with these options share it: do not change it afterwards.
  public var jsonEncoder: JSONEncoder? {
    get { fields.value.jsonEncoder }
    set { fields.unique.value.jsonEncoder = newValue }
  }

  /// Decodes the JSON of responses, unless a call has its own decoder; nil, the default, is a `JSONDecoder()`. All requests
  /// with these options share it: do not change it afterwards.
  public var jsonDecoder: JSONDecoder? {
    get { fields.value.jsonDecoder }
    set { fields.unique.value.jsonDecoder = newValue }
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

  /// Called with the received bytes of each response head, and of the trailers. There are heads of informational responses, of
  /// challenges that ``authentication`` handles, of a proxy's response to CONNECT, and of the final response.
  public var onRawHead: RawHeadHandler? {
    get { transport?.fields.onRawHead }
    set { changeTransport { $0.onRawHead = newValue } }
  }

  /// Called with each step of the exchange, for debugging. Slows down transfers considerably.
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

  /// Whether the caller gets the response only when it is complete: buffered delivery without ``onChunk``, ``onHead`` and
  /// ``onDownloadProgress``. If true, a middleware may buffer the response and retry after a truncated body, and an adapter may
  /// return a small response with its body.
  @_spi(Adapters) public var deliversWhole: Bool {
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

  /// The options that identify the client to an origin.
  struct Credentials: Sendable {
    let authentication: TransportAuthentication?
    let clientCertificate: ClientCertificate?
  }

  /// The ``authentication`` and ``TLS/clientCertificate``; nil if both are nil.
  var credentials: Credentials? {
    let found = Credentials(authentication: authentication, clientCertificate: tls.clientCertificate)
    return found.authentication == nil && found.clientCertificate == nil ? nil : found
  }

  /// Removes these credentials, unless they have been replaced.
  mutating func remove(_ credentials: Credentials) {
    if let own = credentials.authentication, authentication == own { authentication = nil }
    if let own = credentials.clientCertificate, tls.clientCertificate == own { tls.clientCertificate = nil }
  }

  /// Removes the client's credentials for an origin: ``authentication`` and ``TLS/clientCertificate``.
  package mutating func removeCredentials() {
    if authentication != nil { authentication = nil }
    if tls.clientCertificate != nil { tls.clientCertificate = nil }
  }

  /// The options that few requests set; nil if this request sets none of them.
  package var transport: UncommonOptions? { fields.value.transport }

  private mutating func changeTransport(_ change: (inout UncommonOptions.Fields) -> Void) {
    var changed = transport?.fields ?? UncommonOptions.Fields()
    change(&changed)
    fields.unique.value.transport = UncommonOptions(changed)
  }

  /// A copy of the fields. Testing many of them in the copy is cheaper than reading the properties of `Options`.
  var stored: Fields { fields.value }

  /// The options that many requests set.
  struct Fields: Sendable {
    var delivery = Delivery.buffered
    var maximumBodySize = Body.standardLimit
    var timeouts = Timeouts()
    var httpVersion = HTTPVersionPolicy.automatic
    var requestTarget = RequestTarget.origin
    var transport: UncommonOptions?
    var decompression: Decompression?
    var jsonEncoder: JSONEncoder?
    var jsonDecoder: JSONDecoder?
    var onChunk: ChunkHandler?
    var onHead: HeadHandler?
    var onInformational: InformationalHandler?
    var onUploadProgress: ProgressHandler?
    var onDownloadProgress: ProgressHandler?
    var values: [ObjectIdentifier: any Sendable] = [:]
  }
}

/// The options that few requests set, behind one reference, so that ``Options`` stay cheap to copy.
package final class UncommonOptions: Sendable {
  package struct Fields: Sendable {
    package var tls = TLS()
    package var proxy = ProxySelection.automatic
    package var network = Network()
    package var addressPolicy: AddressPolicy?
    package var authentication: TransportAuthentication?
    package var rates = TransferRates()
    package var expectContinue: ExpectContinue?
    package var acceptsHTTP0_9 = false
    package var upgrade: Upgrade?
    package var requestTrailers: RequestTrailers?
    package var onRawHead: RawHeadHandler?
    package var onTrace: TraceHandler?

    package init() {}
  }

  package let fields: Fields
  /// A number that no other object in the process has or gets. (Another object may get the same address later.)
  package let number: Int
  private static let numbers = Atomic<Int>(0)

  /// The indices of the rows of ``TransportOption/all`` whose capabilities these options need. They are computed once for all
  /// requests that share these options.
  var neededRows: [Int] {
    rows.withLock { rows in
      if let rows { return rows }
      let needed = TransportOption.rows(neededBy: fields)
      rows = needed
      return needed
    }
  }
  private let rows = Mutex<[Int]?>(nil)

  package init(_ fields: Fields) {
    self.fields = fields
    number = Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue
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

extension Options {
  /// The template of the URL's path, `/v1/users/{id}`: one name, for metrics and traces, for all requests that differ only in
  /// values. It is set if a request is built with `variables:`, and begins with the path of the connection's URL. Nil by
  /// default.
  public var pathTemplate: String? {
    get { self[PathTemplateKey.self] }
    set { self[PathTemplateKey.self] = newValue }
  }

  private enum PathTemplateKey: OptionKey { static let defaultValue: String? = nil }
}

/// The priority of a request in the queue of a limit. A higher priority goes first; requests of equal priority keep their
/// order.
///
/// It is not sent, and has no effect on the priority of a thread or task.
public struct RequestPriority: RawRepresentable, Sendable, Hashable, Comparable {
  /// The order: a higher value goes first.
  public let rawValue: Int
  /// A priority between or beyond the named ones.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// -100, for background work such as prefetching and reports.
  public static let low = Self(rawValue: -100)
  /// 0, the default.
  public static let normal = Self(rawValue: 0)
  /// 100, for interactive work.
  public static let high = Self(rawValue: 100)

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension Options {
  /// The request's place in the queues of `RateLimit` and `ConcurrencyLimit`: ``RequestPriority/normal`` by default.
  public var priority: RequestPriority {
    get { self[Priority.self] }
    set { self[Priority.self] = newValue }
  }

  /// Labels of the request; none by default. Limits can apply to each tag (bulkhead), and services cancel requests by tag.
  public var tags: Set<String> {
    get { self[Tags.self] }
    set { self[Tags.self] = newValue }
  }

  private enum Priority: OptionKey { static let defaultValue = RequestPriority.normal }
  private enum Tags: OptionKey { static let defaultValue: Set<String> = [] }
}

/// The request target in the first line of a request (RFC 9112, section 3.2).
public enum RequestTarget: Sendable, Hashable {
  /// The URL's path and query (origin-form). A proxy that forwards the request gets the whole URL (absolute-form).
  case origin
  /// `*`, the server itself (asterisk-form): `OPTIONS *` requests its capabilities (RFC 9112, section 3.2.4; RFC 9110, section
  /// 9.3.7). The URL names the server; its path and query are not sent. A method other than OPTIONS throws
  /// ``TransportError/Code/invalidMethod``.
  case asterisk
  /// This text, unchanged: visible ASCII characters, without a space. The URL names the server only. For servers that expect a
  /// target that a URL cannot express. With Digest authentication a strict server rejects the request, because the hash covers
  /// the URL's path and query. Other characters throw ``TransportError/Code/invalidURL``.
  case verbatim(String)
}

/// Waits for the server's consent before a large body is sent: `Expect: 100-continue` (RFC 9110, section 10.1.1).
public struct ExpectContinue: Sendable, Hashable {
  /// The minimum size, in bytes, of a body that waits for consent: 1 MiB by default, as with curl. A body of unknown length
  /// always waits.
  public var minimumBodySize: Int64
  /// The maximum wait for the server's response: 1 second by default. After it, the body is sent without consent.
  public var timeout: Duration

  /// The defaults are curl's.
  public init(minimumBodySize: Int64 = 1 << 20, timeout: Duration = .seconds(1)) {
    self.minimumBodySize = minimumBodySize
    self.timeout = timeout
  }
}

/// Limits of a transfer's rate, in bytes per second.
public struct TransferRates: Sendable, Hashable {
  /// The maximum average rate of sending the body; nil, the default, is no limit. At least 1.
  public var maximumSend: Int?
  /// The maximum average rate of receiving the body; nil, the default, is no limit. At least 1. The bytes of
  /// an eighth of a second may arrive at once.
  public var maximumReceive: Int?
  /// The minimum average rate: a transfer that is slower for ``minimumFor`` throws ``TransportError/Code/tooSlow``. Nil, the
  /// default, is no minimum. Time in which the transfer waits for the caller's reader does not count.
  public var minimum: Int?
  /// The maximum time below ``minimum``, in whole seconds, at least 1: 30 by default.
  public var minimumFor: Duration = .seconds(30)

  /// Limits of the rates. Nil means no limit.
  public init(maximumSend: Int? = nil, maximumReceive: Int? = nil, minimum: Int? = nil, minimumFor: Duration = .seconds(30)) {
    self.maximumSend = maximumSend
    self.maximumReceive = maximumReceive
    self.minimum = minimum
    self.minimumFor = minimumFor
  }
}
