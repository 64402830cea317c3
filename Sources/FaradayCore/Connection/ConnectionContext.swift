private import Synchronization

/// The parts of the connection that a request needs: the base URL's origin, the default headers that the connection added, and
/// its secrets. The context determines whether a request is cross-origin, and which values descriptions redact.
///
/// The context is not part of ``Options``, so that a caller cannot remove it: each layer of a stack passes it to the next
/// (``Next``), also with a request that a middleware has created.
final class ConnectionContext: Sendable {
  /// The origin of the connection's base URL. Nil without a base URL: then every URL is same-origin.
  let baseOrigin: BaseOrigin?
  /// The header fields that may be sent to the base URL's origin only: the connection's default headers.
  let originBoundHeaders: HTTPFields
  /// The credentials of the connection's default options, for the connection's origin only; nil if there are none.
  fileprivate let originBoundCredentials: Options.Credentials?
  let secrets: Secrets
  /// Whether the request is cross-origin whatever its URL is, because of an earlier redirect or link to another origin.
  let isCrossOrigin: Bool
  /// The objects that record the request when it is sent.
  let recorders: [SentRequest]
  /// The context that this context was derived from. The chain ends at the connection's context.
  private let source: ConnectionContext?

  init(
    baseOrigin: BaseOrigin? = nil, originBoundHeaders: HTTPFields = [:], originBoundCredentials: Options.Credentials? = nil,
    secrets: Secrets = Secrets(), isCrossOrigin: Bool = false, recorders: [SentRequest] = [], source: ConnectionContext? = nil
  ) {
    self.baseOrigin = baseOrigin
    self.originBoundHeaders = originBoundHeaders
    self.originBoundCredentials = originBoundCredentials
    self.secrets = secrets
    self.isCrossOrigin = isCrossOrigin
    self.recorders = recorders
    self.source = source
  }

  static let none = ConnectionContext()

  /// A copy for a request that has become cross-origin, without origin-bound headers and credentials.
  func crossOrigin() -> ConnectionContext {
    ConnectionContext(
      baseOrigin: baseOrigin, secrets: secrets, isCrossOrigin: true, recorders: recorders, source: source ?? self)
  }

  /// A copy with some parts replaced.
  func with(
    originBoundHeaders: HTTPFields? = nil, secrets: Secrets? = nil, isCrossOrigin: Bool? = nil
  ) -> ConnectionContext {
    ConnectionContext(
      baseOrigin: baseOrigin, originBoundHeaders: originBoundHeaders ?? self.originBoundHeaders,
      originBoundCredentials: originBoundCredentials, secrets: secrets ?? self.secrets,
      isCrossOrigin: isCrossOrigin ?? self.isCrossOrigin, recorders: recorders, source: source ?? self)
  }

  /// A copy with one more recorder.
  func with(recorder: SentRequest) -> ConnectionContext {
    ConnectionContext(
      baseOrigin: baseOrigin, originBoundHeaders: originBoundHeaders, originBoundCredentials: originBoundCredentials,
      secrets: secrets, isCrossOrigin: isCrossOrigin, recorders: recorders + [recorder], source: self)
  }

  /// The context for a recorder or a response: keeping it does not retain the request.
  func withoutRecorders() -> ConnectionContext {
    guard !recorders.isEmpty else { return self }
    var source = source
    while let recording = source, !recording.recorders.isEmpty { source = recording.source }
    return ConnectionContext(
      baseOrigin: baseOrigin, originBoundHeaders: originBoundHeaders, originBoundCredentials: originBoundCredentials,
      secrets: secrets, isCrossOrigin: isCrossOrigin, source: source)
  }

  /// A copy with a new base URL for the same server.
  func moved(to url: URL) -> ConnectionContext {
    ConnectionContext(
      baseOrigin: BaseOrigin(url), originBoundHeaders: originBoundHeaders, originBoundCredentials: originBoundCredentials,
      secrets: secrets, isCrossOrigin: isCrossOrigin, recorders: recorders,
      // Merging with the original context must not make this context cross-origin.
      source: self)
  }

  /// Whether this context is the other one, or was derived from it.
  private func isDerived(from other: ConnectionContext) -> Bool {
    var context: ConnectionContext? = self
    while let current = context {
      if current === other { return true }
      context = current.source
    }
    return false
  }

  /// Records that the request is about to be sent.
  func record(_ request: Request) {
    guard !recorders.isEmpty else { return }
    var request = request
    request.context = request.context?.withoutRecorders()
    for recorder in recorders { recorder.note(request) }
  }

  /// Records that the request failed before its connection was made, so that no server has received anything of it.
  func recordUnsent() {
    for recorder in recorders { recorder.noteUnsent() }
  }

  /// Records that the request has entered a stack. A middleware may respond without sending it.
  func beginRecording() {
    for recorder in recorders { recorder.begin() }
  }

  func isSameOrigin(_ url: URL) -> Bool { baseOrigin?.contains(url) ?? true }

  /// Merges the context of a request to the URL with the context of the stack or layer that gets the request. The result
  /// redacts the secrets of both. Headers and credentials of this context stay bound to this context's base origin.
  func merged(with other: ConnectionContext, at url: URL) -> ConnectionContext {
    // The usual case: the connection that built the request also sends it.
    if isDerived(from: other) { return self }
    var secrets = secrets
    secrets.formUnion(other.secrets)
    return ConnectionContext(
      baseOrigin: baseOrigin ?? other.baseOrigin, originBoundHeaders: originBoundHeaders,
      originBoundCredentials: originBoundCredentials, secrets: secrets,
      isCrossOrigin: isCrossOrigin || other.isCrossOrigin || !other.isSameOrigin(url),
      recorders: recorders + other.recorders.filter { other in !recorders.contains { $0 === other } })
  }

  /// An origin, with the usual prefix of its URLs, so that most checks are one string comparison.
  struct BaseOrigin: Sendable {
    /// The origin as text: equal for equal origins.
    var text: String { origin.text }
    private let origin: Origin
    private let start: String

    init(_ url: URL) {
      let parts = URLParts(url.absoluteString)
      origin = Origin(url)
      start = parts.host.isEmpty ? "" : String(parts.start + parts.host)
    }

    func contains(_ url: URL) -> Bool {
      let text = url.absoluteString
      if !start.isEmpty, text.hasPrefix(start) {
        switch text.utf8.dropFirst(start.utf8.count).first {
        case nil, UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): return true
        default: break
        }
      }
      return origin == Origin(url)
    }

    static func == (left: BaseOrigin, right: BaseOrigin) -> Bool { left.origin == right.origin }
  }
}

extension Request {
  /// Whether this is a cross-origin request: its URL has another scheme, host or port than the connection's base URL, or a
  /// redirect or link has led it to another origin. Middleware adds no credentials to a cross-origin request. The request stays
  /// cross-origin if a later redirect leads back, see `becomeCrossOrigin()`.
  public var isCrossOrigin: Bool {
    guard let context else { return false }
    return context.isCrossOrigin || !context.isSameOrigin(url)
  }

  /// The names of header fields, query items and JSON members whose values are redacted in descriptions and logs: the
  /// connection's ``Connection/secrets``, and the names added by ``markSecret(_:)``.
  public var secrets: Secrets { context?.secrets ?? ConnectionContext.none.secrets }

  /// Adds names to ``secrets`` for this request only. `Secrets.insert` on the connection adds them for all requests.
  public mutating func markSecret(_ names: String...) {
    var secrets = secrets
    for name in names { secrets.insert(name) }
    context = (context ?? .none).with(secrets: secrets)
  }

  /// Takes over the connection of another request, if no connection built this request.
  package mutating func joinConnection(of other: Request) { context = context ?? other.context }

  /// Makes ``isCrossOrigin`` true and keeps the header fields; `becomeCrossOrigin()` removes credentials too.
  package mutating func markCrossOrigin() {
    guard context?.isCrossOrigin != true else { return }
    context = (context ?? .none).with(isCrossOrigin: true)
  }

  /// Changes the URL from `http` to `https` at the same server. A same-origin request stays same-origin, and the new origin
  /// becomes its base origin.
  package mutating func moveToSecureOrigin(_ url: URL) {
    if !isCrossOrigin, let context, context.baseOrigin != nil { self.context = context.moved(to: url) }
    self.url = url
  }

  /// Sets header fields for the base URL's origin only, like the connection's default headers: they are removed when the
  /// request becomes cross-origin. They replace all fields with the same names.
  package mutating func setOriginBoundHeaders(_ fields: HTTPFields) {
    let names = Set(fields.map(\.name))
    for name in names { headers[fields: name] = [] }
    for field in fields { headers.append(field) }
    let known = context ?? .none
    context = known.with(originBoundHeaders: HTTPFields(known.originBoundHeaders.filter { !names.contains($0.name) } + fields))
  }

  /// Merges the context of the layer that handles the request into the request's own.
  mutating func merge(_ other: ConnectionContext) {
    guard context !== other else { return }
    context = context?.merged(with: other, at: url) ?? other
  }

  /// Returns a copy without the headers and credentials that the connection added, if the URL is cross-origin. Keeps the values
  /// that the caller has changed.
  func removingOriginBoundHeadersIfCrossOrigin() -> Request {
    guard let context, !context.originBoundHeaders.isEmpty || context.originBoundCredentials != nil, !context.isSameOrigin(url)
    else { return self }
    var request = self
    if let credentials = context.originBoundCredentials { request.options.remove(credentials) }
    for name in Set(context.originBoundHeaders.map(\.name)) where has(context.originBoundHeaders[fields: name], of: name) {
      request.headers[fields: name] = []
    }
    request.context = context.crossOrigin()
    return request
  }

  /// Whether the connection added the fields with this name. A secret field only has to contain the connection's value: a
  /// middleware may have added cookies to a `Cookie` field.
  private func has(_ originBoundHeaders: [HTTPField], of name: HTTPField.Name) -> Bool {
    let fields = headers[fields: name]
    guard fields != originBoundHeaders, secrets.isRemovedCrossOrigin(name) else { return fields == originBoundHeaders }
    return originBoundHeaders.contains { own in !own.value.isEmpty && fields.contains { $0.value.contains(own.value) } }
  }
}

extension Response {
  /// The names whose values are redacted in the response's description: the secrets of the request's connection.
  package var secrets: Secrets { context?.secrets ?? ConnectionContext.none.secrets }

  /// A copy with the secrets of its request, unless the response already has the secrets of a connection.
  package func takingSecrets(of request: Request) -> Response {
    guard context == nil, let given = request.context else { return self }
    var response = self
    response.context = given
    response.facts = response.facts ?? RequestFacts(request, for: response.status)
    return response
  }

  /// Whether a redirect led the request to another origin, even if a later redirect led back.
  package var wasRedirectedCrossOrigin: Bool {
    get { self[WasRedirectedCrossOrigin.self] ?? false }
    set { self[WasRedirectedCrossOrigin.self] = newValue ? true : nil }
  }

  private enum WasRedirectedCrossOrigin: ResponseKey { typealias Value = Bool }

  /// Whether the client has changed the request from `http` to `https` at the same server (``Request/moveToSecureOrigin(_:)``).
  package var wasMovedToSecureOrigin: Bool {
    get { self[WasMovedToSecureOrigin.self] ?? false }
    set { self[WasMovedToSecureOrigin.self] = newValue ? true : nil }
  }

  private enum WasMovedToSecureOrigin: ResponseKey { typealias Value = Bool }

  /// Whether the response comes from the requested origin: no redirect has led to another origin, and the client has at most
  /// changed `http` to `https`.
  package func isFromOrigin(of requested: URL) -> Bool {
    guard !wasRedirectedCrossOrigin else { return false }
    return Origin(requested) == Origin(url) || wasMovedToSecureOrigin && Origin(requested).isSecured(by: Origin(url))
  }
}

extension Request {
  /// Makes the request cross-origin: removes credentials and sets ``isCrossOrigin``, so that no middleware below adds
  /// credentials (RFC 9110, section 15.4). Call this method when a redirect or a link leads to another origin, after setting
  /// ``url``.
  ///
  /// The method removes `Authorization`, `Proxy-Authorization`, `Cookie`, every field named in ``secrets``, every default
  /// header of the connection, `Host`, ``Options/authentication`` and ``TLS/clientCertificate``. It shortens `Referer` to its
  /// origin, and removes it from https to http.
  @_spi(Adapters) public mutating func becomeCrossOrigin() {
    let secrets = secrets
    let originBoundHeaders = Set((context?.originBoundHeaders ?? [:]).map(\.name))
    for name in Set(headers.map(\.name))
    where name == Self.host || originBoundHeaders.contains(name) || secrets.isRemovedCrossOrigin(name) {
      headers[fields: name] = []
    }
    shortenReferer()
    options.removeCredentials()
    context = (context ?? .none).crossOrigin()
  }

  /// The policy `strict-origin` (W3C Referrer Policy, section 3.6).
  package mutating func shortenReferer() {
    guard let referer = headers[.referer] else { return }
    let parts = URLParts(referer)
    let scheme = parts.start.lowercased()
    let isKept = scheme == "http://" || scheme == "https://" && url.scheme?.lowercased() == "https"
    headers[fields: .referer] = []
    if isKept, URL(string: referer)?.host()?.isEmpty == false { headers[.referer] = parts.start + parts.host + "/" }
  }

  /// `Host` would name the origin that a cross-origin request has left.
  static let host = HTTPField.Name("Host")
}

extension Secrets {
  /// Whether the field is a credential or secret. Such a field is removed from cross-origin requests, and no middleware adds
  /// it.
  package func isRemovedCrossOrigin(_ name: HTTPField.Name) -> Bool {
    name == .authorization || name == .proxyAuthorization || name == .cookie || contains(name)
  }
}

/// Records the request that an exchange has sent. Middleware may have changed the request, for example by adding credentials.
///
/// The ``Stack`` next to the adapter records the request. If the adapter passes the request on to another stack, that stack
/// records it too. Thread-safe.
package final class SentRequest: Sendable {
  private enum State {
    case none
    case sent(Request)
    /// Attempts differed in URL or credentials. The response can belong to any attempt, because hedging sends two at once.
    case ambiguous
  }

  private let state = Mutex(State.none)
  private let arrivals = Atomic(0)

  package init() {}

  /// The last request that was sent; nil if a lower layer responded without sending one, or if ``isAmbiguous``.
  package var last: Request? {
    state.withLock { if case .sent(let request) = $0 { request } else { nil } }
  }

  /// Whether several attempts with different URLs or credentials were sent.
  package var isAmbiguous: Bool {
    state.withLock { if case .ambiguous = $0 { true } else { false } }
  }

  /// Whether a request was sent.
  package var wasSent: Bool {
    state.withLock { if case .none = $0 { false } else { true } }
  }

  /// Whether a server may have received something: a request was sent, and did not fail before its connection was made.
  package var mayHaveArrived: Bool { arrivals.load(ordering: .relaxed) > 0 }

  fileprivate func note(_ request: Request) {
    arrivals.wrappingAdd(1, ordering: .relaxed)
    state.withLock { state in
      switch state {
      case .none: state = .sent(request)
      case .sent(let earlier): state = request.hasSameCredentials(as: earlier) ? .sent(request) : .ambiguous
      case .ambiguous: break
      }
    }
  }

  fileprivate func noteUnsent() { arrivals.wrappingSubtract(1, ordering: .relaxed) }

  fileprivate func begin() {
    state.withLock { if case .sent = $0 { $0 = .none } }
  }
}

extension Request {
  /// A copy that is recorded when it is sent.
  package func recorded(in sent: SentRequest) -> Request {
    var request = self
    request.context = (context ?? .none).with(recorder: sent)
    return request
  }
}
