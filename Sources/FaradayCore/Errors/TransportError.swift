/// An exchange that failed: what happened, in which phase, to which request, and what had arrived by then.
///
/// What it says of itself carries no secret and has a bound: its description, message and URL are without user, password, query,
/// fragment, secret parts of the path, header fields and body, a kibibyte each at most. ``partialResponse`` is the response as it
/// came, whole URL and header fields included, and ``underlying`` is whatever the caller's own code threw: they are to be looked
/// at, and no description shows them.
public struct TransportError: FaradayError {
  /// What happened. Codes are added over time: a `switch` over them needs a `default`.
  public var code: Code
  /// How far the exchange was.
  public var phase: Phase
  /// The request's method.
  public var method: HTTPRequest.Method
  /// The request's URL, without user, password, query, fragment and what its ``Secrets`` name of its path.
  public var url: String
  /// One line for a person, without a secret.
  public var message: String {
    didSet { message = Self.shown(message: message) }
  }
  /// The engine's own number for it (libcurl's CURLcode, Foundation's URLError code), if it came from there.
  public var engineCode: Int?
  /// The error behind it, where it was not the engine's: what the caller's own body threw.
  public var underlying: (any Error)?
  /// What had arrived when it failed: the head, and of a buffered body the bytes so far.
  public var partialResponse: Response?

  /// - Parameter secrets: the request's, ``Request/secrets``.
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

  /// The error about a request that can be told from the request alone, before anything is sent.
  public init(_ code: Code, building request: Request, _ message: String) {
    self.init(
      code, phase: .building, method: request.method, url: request.url, secrets: request.secrets, message: message)
  }

  /// The error about a string that is no URL.
  package init(invalidURL text: String, method: HTTPRequest.Method, secrets: Secrets = Secrets()) {
    code = .invalidURL
    phase = .building
    self.method = method
    url = Self.shown(text, secrets)
    message = "this is not a URL"
  }

  /// What the stack knows to be secret, and the adapter may not have known.
  mutating func redact(by context: ConnectionContext) {
    url = Self.shown(url, context.secrets)
    if partialResponse?.context == nil { partialResponse?.context = context }
  }

  private static func shown(_ url: String, _ secrets: Secrets) -> String {
    // Byte by byte: with an accent behind it, a sign is another `Character`.
    let place = secrets.redacting(urlText: url).utf8.prefix { $0 != UInt8(ascii: "?") }
    let scalars = String(decoding: place, as: UTF8.self).unicodeScalars
    return String(scalars.map { $0.value < 0x20 || $0.value == 0x7F ? "\u{FFFD}" : Character($0) }).bounded()
  }

  /// An engine may have put a URL in it.
  private static func shown(message: String) -> String { Userinfo.removed(fromWordsOf: message).bounded() }
}

extension TransportError: CustomDebugStringConvertible, CustomReflectable {
  public var isTimeout: Bool { Code.timeouts.contains(code) }
  public var isCancelled: Bool { underlying?.isCancelled ?? false }
  public var isTransient: Bool {
    isTimeout || Code.connectionFailures.contains(code) || code == .queueFull || code == .outOfDescriptors
  }
  public var request: RequestSummary? { RequestSummary(method: method, url: url) }
  /// What had arrived, as ``partialResponse``.
  public var response: Response? { partialResponse }
  public var description: String { "\(method.rawValue.bounded()) \(url): \(message) (\(code) while \(phase))" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension TransportError {
  /// How far an exchange was.
  public enum Phase: String, Sendable, Hashable, CustomStringConvertible {
    case building, resolving, connecting, tls = "TLS", sending, waiting, receiving
    public var description: String { rawValue }
  }

  /// What happened. Compare with the static members.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
  }
}

extension TransportError.Code {
  // The request cannot be sent as it is.
  public static let invalidURL = Self(rawValue: "invalidURL")
  public static let unsupportedScheme = Self(rawValue: "unsupportedScheme")
  /// `CONNECT`, which is said to proxies, by the adapter; or a method that what is asked for does not go with.
  public static let invalidMethod = Self(rawValue: "invalidMethod")
  public static let invalidHeader = Self(rawValue: "invalidHeader")
  public static let invalidBody = Self(rawValue: "invalidBody")
  /// The adapter lacks a capability that the request needs.
  public static let unsupported = Self(rawValue: "unsupported")

  // The request's body let us down.
  public static let bodyUnreadable = Self(rawValue: "bodyUnreadable")
  public static let bodyLengthMismatch = Self(rawValue: "bodyLengthMismatch")
  public static let bodyNotReplayable = Self(rawValue: "bodyNotReplayable")

  // The server was not reached.
  public static let nameNotFound = Self(rawValue: "nameNotFound")
  public static let connectionFailed = Self(rawValue: "connectionFailed")
  public static let proxyFailed = Self(rawValue: "proxyFailed")
  public static let tlsFailed = Self(rawValue: "tlsFailed")
  public static let tlsVerificationFailed = Self(rawValue: "tlsVerificationFailed")
  public static let invalidCA = Self(rawValue: "invalidCA")

  // It had no turn.
  /// More requests wait than the adapter's limit.
  public static let queueFull = Self(rawValue: "queueFull")
  /// It waited longer for its turn than ``Timeouts/queue``.
  public static let queueTimeout = Self(rawValue: "queueTimeout")

  // It took too long.
  public static let connectTimeout = Self(rawValue: "connectTimeout")
  public static let idleTimeout = Self(rawValue: "idleTimeout")
  public static let totalTimeout = Self(rawValue: "totalTimeout")

  fileprivate static let timeouts: Set = [queueTimeout, connectTimeout, idleTimeout, totalTimeout]
  /// A server that was not reached, or a connection that broke: what `Retry` sends a request again after, unless told otherwise.
  public static let connectionFailures: Set = [
    nameNotFound, connectionFailed, tlsFailed, connectTimeout, connectionClosed, sendFailed, receiveFailed, truncatedResponse,
    idleTimeout, http2Error,
  ]

  // The exchange broke.
  /// The connection ended before any response.
  public static let connectionClosed = Self(rawValue: "connectionClosed")
  public static let sendFailed = Self(rawValue: "sendFailed")
  public static let receiveFailed = Self(rawValue: "receiveFailed")
  /// The connection ended inside the response.
  public static let truncatedResponse = Self(rawValue: "truncatedResponse")
  public static let malformedResponse = Self(rawValue: "malformedResponse")
  public static let http2Error = Self(rawValue: "http2Error")

  // The response is more than was asked for.
  /// A head and trailers of more than a mebibyte, or less where the engine has a limit of its own, or more than 5,000 lines of
  /// both.
  public static let headTooLarge = Self(rawValue: "headTooLarge")
  public static let bodyTooLarge = Self(rawValue: "bodyTooLarge")
  public static let decompressionLimit = Self(rawValue: "decompressionLimit")
  /// The bytes are none of that coding, some are missing at its end, or some follow it.
  public static let decompressionFailed = Self(rawValue: "decompressionFailed")

  /// The process or the system has no file descriptor left.
  public static let outOfDescriptors = Self(rawValue: "outOfDescriptors")
  /// The engine itself failed: out of memory, or a bug.
  public static let engineFailed = Self(rawValue: "engineFailed")
}
