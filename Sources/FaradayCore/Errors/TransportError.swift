/// An error of an adapter: the request could not be sent, or the response is incomplete. It has a code, the phase, the request,
/// and the partial response.
///
/// `description`, ``message`` and ``url`` are safe to log: they have no user, password, query, fragment, secret path segments,
/// header fields or body, and at most 1 KiB each. ``partialResponse`` (the received response, with its whole URL and header
/// fields) and ``underlying`` (an error thrown by the caller's code) may contain secrets, and no description shows them.
public struct TransportError: FaradayError {
  /// The kind of error. Codes are added over time: a `switch` over them needs a `default`.
  public var code: Code
  /// The phase in which the exchange failed.
  public var phase: Phase
  /// The request's method.
  public var method: HTTPRequest.Method
  /// The request's URL, without user, password, query, fragment and secret path segments.
  public var url: String
  /// The problem, in one line without secrets.
  public var message: String {
    didSet { message = Self.shown(message: message) }
  }
  /// The error code of the underlying library, if the library caused the error: libcurl's CURLcode, Foundation's URLError code.
  public var engineCode: Int?
  /// The error that caused this error: an error of the caller's body source, for instance.
  public var underlying: (any Error)?
  /// The received part of the response: the head, and the received bytes of a buffered body. Nil before the head was complete.
  public var partialResponse: Response?
  /// The certificates that the server presented, in DER, the server's certificate first, even if their verification failed.
  /// Empty without ``TLS/reportsPeerCertificates``.
  public var peerCertificates: [Data] = []
  /// The timings and byte counts up to the failure, such as the connect time and the server's address. Nil if the exchange had
  /// not begun (the request was rejected, or waited in the queue), or if the adapter does not report them.
  public var metrics: TransferMetrics?
  /// Whether `Retry` did not send the request again because its `RetryBudget` was used up. ``description`` includes this fact.
  public internal(set) var isRetryRefused = false

  /// An error for a request with this method and URL.
  ///
  /// - Parameter secrets: names whose values are redacted in ``url``: the ``Request/secrets``.
  public init(
    _ code: Code, phase: Phase, method: HTTPRequest.Method, url: URL, secrets: Secrets = Secrets(), message: String,
    engineCode: Int? = nil, underlying: (any Error)? = nil, partialResponse: Response? = nil
  ) {
    self.code = code
    self.phase = phase
    self.method = method
    self.url = Self.shown(url.absoluteString, secrets)
    self.message = Self.shown(message: message)
    self.engineCode = engineCode
    self.underlying = underlying
    self.partialResponse = partialResponse
  }

  /// An error in the phase ``Phase/building``: the request is invalid, and nothing is sent.
  public init(_ code: Code, building request: Request, _ message: String) {
    self.init(
      code, phase: .building, method: request.method, url: request.url, secrets: request.secrets, message: message)
  }

  /// An error for a string that is not a valid request URL.
  package init(
    _ code: Code = .invalidURL, invalidURL text: String, method: HTTPRequest.Method, secrets: Secrets = Secrets(),
    _ message: String = "not a valid URL"
  ) {
    self.code = code
    phase = .building
    self.method = method
    url = Self.shown(text, secrets)
    self.message = message
  }

  /// Redacts the connection's secrets, which the adapter may not know.
  fileprivate mutating func redact(by context: ConnectionContext) {
    url = Self.shown(url, context.secrets)
    if partialResponse?.context == nil { partialResponse?.context = context }
  }

  private static func shown(_ url: String, _ secrets: Secrets) -> String {
    // Byte by byte: a delimiter and a combining accent after it are one `Character`.
    let place = secrets.redacting(urlText: url).utf8.prefix { $0 != UInt8(ascii: "?") }
    let scalars = String(decoding: place, as: UTF8.self).unicodeScalars
    return String(scalars.map { $0.value < 0x20 || $0.value == 0x7F ? "\u{FFFD}" : Character($0) }).bounded()
  }

  /// Redacted, because messages of libraries may contain URLs.
  private static func shown(message: String) -> String { Userinfo.removed(fromWordsOf: message).bounded() }
}

extension Error {
  /// The error with the connection's secrets redacted, if it is a ``TransportError``.
  // Not inlined: its temporaries would enlarge the frame of each suspended request.
  @inline(never)
  func redacted(by context: ConnectionContext?) -> any Error {
    guard let context, var error = self as? TransportError else { return self }
    error.redact(by: context)
    return error
  }
}

extension TransportError: CustomDebugStringConvertible, CustomReflectable {
  /// Whether the code is one of the timeouts.
  public var isTimeout: Bool { Code.timeouts.contains(code) }
  /// Whether the source of the request's body was cancelled. A cancelled task gets a `CancellationError`.
  public var isCancelled: Bool { underlying?.countsAsCancelled ?? false }
  /// Whether a retry may succeed: a timeout, one of ``Code/connectionFailures``, a full queue, or no free file descriptor.
  public var isTransient: Bool {
    isTimeout || Code.connectionFailures.contains(code) || code == .queueFull || code == .outOfDescriptors
  }
  /// Whether the request failed before its connection was made, so that nothing of it was sent.
  package var isBeforeSending: Bool { [.resolving, .connecting, .tls].contains(phase) }
  /// The ``method`` and the redacted ``url``.
  public var request: RequestSummary? { RequestSummary(method: method, url: url) }
  /// The ``partialResponse``.
  public var response: Response? { partialResponse }
  public var description: String {
    "\(method.rawValue.bounded()) \(url): \(message) (\(code) while \(phase)\(isRetryRefused ? "; " + retryRefusedNote : ""))"
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension TransportError {
  /// The phases of an exchange.
  public enum Phase: String, Sendable, Hashable, CustomStringConvertible {
    /// Checking the request, before anything is sent.
    case building
    /// Resolving the host name (DNS).
    case resolving
    /// Waiting for a connection, or connecting (TCP, proxy).
    case connecting
    /// The TLS handshake.
    case tls = "TLS"
    /// Sending the request.
    case sending
    /// Waiting for the response after the request was sent.
    case waiting
    /// Receiving the response.
    case receiving
    public var description: String { rawValue }
  }

  /// A kind of error. Compare with the static members.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The name of the code, equal to the name of its static member: `idleTimeout`.
    public let rawValue: String
    /// A code with a name. Adapters may define additional codes.
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
  }
}

extension TransportError.Code {
  // Invalid requests.
  /// The URL is not valid: not absolute, without a host, or with characters that URLs do not allow.
  public static let invalidURL = Self(rawValue: "invalidURL")
  /// The URL's scheme is not `http` or `https`.
  public static let unsupportedScheme = Self(rawValue: "unsupportedScheme")
  /// `CONNECT`, which only adapters send, to proxies; or a method other than OPTIONS with ``RequestTarget/asterisk``.
  public static let invalidMethod = Self(rawValue: "invalidMethod")
  /// A header field that must not be sent: it contains CR, LF or NUL, or it is a `Content-Length` or `Transfer-Encoding` that
  /// contradicts the body.
  public static let invalidHeader = Self(rawValue: "invalidHeader")
  /// A body on a method without one (HEAD, TRACE), or a value that no middleware has encoded.
  public static let invalidBody = Self(rawValue: "invalidBody")
  /// An option with an invalid value; the message names the option.
  public static let invalidOption = Self(rawValue: "invalidOption")
  /// The adapter lacks a capability that the request needs; the message names the capability.
  public static let unsupported = Self(rawValue: "unsupported")

  // Errors of the request's body.
  /// Reading the request's body failed: a file that cannot be read, or an error of the sequence
  /// (``TransportError/underlying``).
  public static let bodyUnreadable = Self(rawValue: "bodyUnreadable")
  /// The request's body is shorter or longer than its stated length.
  public static let bodyLengthMismatch = Self(rawValue: "bodyLengthMismatch")
  /// The body must be sent again, after a redirect for instance, but can be read only once: see ``Body/isReplayable``.
  public static let bodyNotReplayable = Self(rawValue: "bodyNotReplayable")

  // Connecting failed.
  /// The host name could not be resolved (DNS).
  public static let nameNotFound = Self(rawValue: "nameNotFound")
  /// The connection to the server was refused, reset or closed, also during the TLS handshake, or the server is unreachable.
  public static let connectionFailed = Self(rawValue: "connectionFailed")
  /// The connection to the proxy was refused, reset or closed before the proxy responded, the proxy's name could not be
  /// resolved, or the proxy is unreachable. The server has received nothing of the request.
  public static let proxyUnreachable = Self(rawValue: "proxyUnreachable")
  /// The proxy refused to connect to the server, the proxy's response is invalid, or its settings are invalid. A retry would
  /// also fail.
  public static let proxyFailed = Self(rawValue: "proxyFailed")
  /// The TLS handshake failed, but not because of the server's certificate: no common version or cipher, a server without TLS,
  /// or a rejected client certificate. A retry would also fail.
  public static let tlsFailed = Self(rawValue: "tlsFailed")
  /// The server's certificate could not be verified: unknown authority, wrong host name, expired.
  public static let tlsVerificationFailed = Self(rawValue: "tlsVerificationFailed")
  /// The certificate authorities, ``TLS/caFile``, or the revocation lists could not be read.
  public static let invalidCA = Self(rawValue: "invalidCA")

  /// The client's certificate or key is unusable: it is unreadable, or its password is wrong.
  public static let invalidClientCertificate = Self(rawValue: "invalidClientCertificate")
  /// The server's public key is not in ``TLS/pinnedPublicKeys``.
  public static let publicKeyNotPinned = Self(rawValue: "publicKeyNotPinned")
  /// The ``AddressPolicy`` forbids the address or the proxy; ``TransportError/underlying`` is a ``ForbiddenAddressError``.
  public static let addressForbidden = Self(rawValue: "addressForbidden")

  // The request queue.
  /// The adapter's request queue is full.
  public static let queueFull = Self(rawValue: "queueFull")
  /// The request waited in the queue for longer than ``Timeouts/queue``.
  public static let queueTimeout = Self(rawValue: "queueTimeout")

  /// The adapter is shutting down: it accepts no new requests, or ended this request at the deadline.
  public static let shuttingDown = Self(rawValue: "shuttingDown")

  // Timeouts.
  /// The connection was not ready within ``Timeouts/connect``.
  public static let connectTimeout = Self(rawValue: "connectTimeout")
  /// The host name was not resolved within ``Timeouts/resolve``.
  public static let resolveTimeout = Self(rawValue: "resolveTimeout")
  /// The TLS handshake did not complete within ``Timeouts/tls``.
  public static let tlsTimeout = Self(rawValue: "tlsTimeout")
  /// No byte of the response arrived within ``Timeouts/firstByte``.
  public static let firstByteTimeout = Self(rawValue: "firstByteTimeout")
  /// The transfer was slower than ``TransferRates/minimum``.
  public static let tooSlow = Self(rawValue: "tooSlow")
  /// No byte was sent or received for ``Timeouts/idle``.
  public static let idleTimeout = Self(rawValue: "idleTimeout")
  /// The whole exchange took longer than ``Timeouts/total`` or ``Timeouts/totalExcludingQueue``.
  public static let totalTimeout = Self(rawValue: "totalTimeout")

  fileprivate static let timeouts: Set = [
    queueTimeout, resolveTimeout, connectTimeout, tlsTimeout, firstByteTimeout, idleTimeout, totalTimeout, tooSlow,
  ]
  /// The codes of failed or broken connections, which `Retry` retries by default.
  public static let connectionFailures: Set = [
    nameNotFound, connectionFailed, proxyUnreachable, resolveTimeout, connectTimeout, tlsTimeout, connectionClosed, sendFailed,
    receiveFailed, truncatedResponse, firstByteTimeout, idleTimeout, http2Error, http3Error,
  ]

  // Broken exchanges.
  /// The connection was closed before any part of a response arrived.
  public static let connectionClosed = Self(rawValue: "connectionClosed")
  /// Writing to the connection failed.
  public static let sendFailed = Self(rawValue: "sendFailed")
  /// Reading from the connection failed.
  public static let receiveFailed = Self(rawValue: "receiveFailed")
  /// The connection was closed before the response was complete.
  public static let truncatedResponse = Self(rawValue: "truncatedResponse")
  /// The response is not valid HTTP, or its framing is ambiguous.
  public static let malformedResponse = Self(rawValue: "malformedResponse")
  /// The server violated HTTP/2, or reset the stream.
  public static let http2Error = Self(rawValue: "http2Error")
  /// The server violated HTTP/3, or reset the stream.
  public static let http3Error = Self(rawValue: "http3Error")

  // Limits.
  /// The response exceeds a limit: 1 MiB (or the lower limit of the underlying library) or 5,000 lines for head and trailers, 4
  /// KiB for one trailer, or 16 KiB for the chunk extensions of the body.
  public static let headTooLarge = Self(rawValue: "headTooLarge")
  /// The body is larger than ``Options/maximumBodySize``, or the body of a challenge that ``TransportAuthentication`` handles
  /// is larger than 1 MiB.
  public static let bodyTooLarge = Self(rawValue: "bodyTooLarge")
  /// The decoded body is larger than ``Decompression/maximumSize`` or ``Decompression/maximumRatio`` allows.
  public static let decompressionLimit = Self(rawValue: "decompressionLimit")
  /// The compressed body is malformed, truncated, or followed by more bytes.
  public static let decompressionFailed = Self(rawValue: "decompressionFailed")

  /// The process or the system has no free file descriptor for a connection. Raise `ulimit -n`, or lower the adapter's limits.
  public static let outOfDescriptors = Self(rawValue: "outOfDescriptors")
  /// The adapter's underlying library failed: out of memory, or a bug.
  public static let engineFailed = Self(rawValue: "engineFailed")
}

/// A request body is shorter or longer than its stated length.
package struct LengthMismatch: Error, CustomStringConvertible {
  package let stated: Int64
  /// The actual length; nil if the body is longer than stated, because the rest was not read.
  package let actual: Int64?

  package init(stated: Int64, actual: Int64?) {
    self.stated = stated
    self.actual = actual
  }

  package var description: String {
    "the body's stated length is \(stated) bytes, but it " + (actual.map { "ended after \($0)" } ?? "has more")
  }
}

extension TransportError {
  /// Sets code and message for an error of the request's body source.
  package mutating func setBodyFailure(_ error: any Error) {
    switch error {
    case let mismatch as LengthMismatch:
      code = .bodyLengthMismatch
      message = mismatch.description
    case let problem as BodyError:
      code = .bodyUnreadable
      message = problem.description
      underlying = error
    default:
      code = .bodyUnreadable
      // Only the type of the caller's error: its description may contain secrets.
      message = "the request's body failed: \((error as? TransportError)?.description ?? "\(type(of: error))")"
      underlying = error
    }
  }
}
