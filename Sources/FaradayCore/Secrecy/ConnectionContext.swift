/// The connection that a request was made by, as far as the request needs it: the base URL's origin, the default headers that the
/// connection added, its secrets. It decides whether a request is cross-origin and what is redacted in descriptions.
///
/// It is no part of ``Options``, and a caller cannot remove it: each layer of a stack passes it to the next (``Next``), also with
/// a request that a middleware has created.
final class ConnectionContext: Sendable {
  /// The origin of the connection's base URL; nil if it has none: then every URL is same-origin.
  let baseOrigin: BaseOrigin?
  /// The header fields that the request may send to its first origin only: the connection's default headers.
  let originBoundHeaders: HTTPFields
  /// The credentials of the connection's default options, which are for its origin only; nil if there are none.
  let originBoundCredentials: Options.Credentials?
  let secrets: Secrets
  /// Whether the request is cross-origin whatever its URL is: a redirect or a link has led it away before.
  let isCrossOrigin: Bool
  /// What records the request when it is sent.
  let recorders: [SentRequest]
  /// The context that this one was derived from, and so on up to the connection's own.
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

  /// A copy for a request that has left the origin: nothing is bound to that any more.
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

  /// A copy whose request is recorded by one more.
  func with(recorder: SentRequest) -> ConnectionContext {
    ConnectionContext(
      baseOrigin: baseOrigin, originBoundHeaders: originBoundHeaders, originBoundCredentials: originBoundCredentials,
      secrets: secrets, isCrossOrigin: isCrossOrigin, recorders: recorders + [recorder], source: self)
  }

  /// A copy that a recorder, or a response, can keep without keeping the request.
  func withoutRecorders() -> ConnectionContext {
    var source = source
    while let recording = source, !recording.recorders.isEmpty { source = recording.source }
    return ConnectionContext(
      baseOrigin: baseOrigin, originBoundHeaders: originBoundHeaders, originBoundCredentials: originBoundCredentials,
      secrets: secrets, isCrossOrigin: isCrossOrigin, source: source)
  }

  /// A copy for the same server, whose base URL is the new one.
  func moved(to url: URL) -> ConnectionContext {
    ConnectionContext(
      baseOrigin: BaseOrigin(url), originBoundHeaders: originBoundHeaders, originBoundCredentials: originBoundCredentials,
      secrets: secrets, isCrossOrigin: isCrossOrigin, recorders: recorders,
      // Merging with a context that this one was derived from must not make it cross-origin.
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

  func isSameOrigin(_ url: URL) -> Bool { baseOrigin?.contains(url) ?? true }

  /// This context, of a request to the URL, merged with the one of the stack or layer that the request is passed to. It redacts
  /// the secrets of both; headers and credentials of this context stay bound to its own base origin.
  func merged(with other: ConnectionContext, at url: URL) -> ConnectionContext {
    // The usual case of a request that was made by the connection it is sent over.
    if isDerived(from: other) { return self }
    var secrets = secrets
    secrets.formUnion(other.secrets)
    return ConnectionContext(
      baseOrigin: baseOrigin ?? other.baseOrigin, originBoundHeaders: originBoundHeaders,
      originBoundCredentials: originBoundCredentials, secrets: secrets,
      isCrossOrigin: isCrossOrigin || other.isCrossOrigin || !other.isSameOrigin(url),
      recorders: recorders + other.recorders.filter { other in !recorders.contains { $0 === other } })
  }

  /// An origin, with the prefix that its URLs usually begin with: a string comparison answers most questions.
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
  /// redirect or link has led it to another origin. A middleware that adds credentials adds none to a cross-origin request. It
  /// stays cross-origin if a later redirect leads back, see ``becomeCrossOrigin()``.
  public var isCrossOrigin: Bool {
    guard let context else { return false }
    return context.isCrossOrigin || !context.isSameOrigin(url)
  }

  /// The names of header fields, query items and the like whose values are redacted in descriptions and logs: the connection's
  /// ``Connection/secrets`` and those of ``markSecret(_:)``.
  public var secrets: Secrets { context?.secrets ?? ConnectionContext.none.secrets }

  /// Adds names to ``secrets`` for this request only; `Secrets.insert` on the connection does so for all.
  public mutating func markSecret(_ names: String...) {
    var secrets = secrets
    for name in names { secrets.insert(name) }
    context = (context ?? .none).with(secrets: secrets)
  }

  /// Makes ``isCrossOrigin`` true and keeps the header fields; ``becomeCrossOrigin()`` removes credentials too.
  package mutating func markCrossOrigin() {
    guard context?.isCrossOrigin != true else { return }
    context = (context ?? .none).with(isCrossOrigin: true)
  }

  /// Changes the URL from `http` to `https` at the same server. A same-origin request stays same-origin, and its origin is the
  /// new one from now on.
  package mutating func moveToSecureOrigin(_ url: URL) {
    if !isCrossOrigin, let context, context.baseOrigin != nil { self.context = context.moved(to: url) }
    self.url = url
  }

  /// Sets header fields that are for the base URL's origin only, as the connection's default headers are: they are removed when
  /// the request becomes cross-origin. They replace all fields of the same names.
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

  /// If the URL is cross-origin: a copy without the headers and credentials that the connection added, except those the caller has
  /// changed.
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

  /// Whether the fields of this name are those the connection added. For a secret field it is enough that they contain its value,
  /// as a `Cookie` field does to which a middleware has added cookies.
  private func has(_ originBoundHeaders: [HTTPField], of name: HTTPField.Name) -> Bool {
    let fields = headers[fields: name]
    guard fields != originBoundHeaders, secrets.isRemovedCrossOrigin(name) else { return fields == originBoundHeaders }
    return originBoundHeaders.contains { own in !own.value.isEmpty && fields.contains { $0.value.contains(own.value) } }
  }
}

extension Response {
  /// The names whose values are redacted in the response's description: those of the request's connection.
  package var secrets: Secrets { context?.secrets ?? ConnectionContext.none.secrets }

  /// A copy with the secrets of the request that it answers, unless it has those of a connection.
  package func takingSecrets(of request: Request) -> Response {
    guard context == nil, let given = request.context else { return self }
    var response = self
    response.context = given
    response.requestMethod = response.requestMethod ?? request.method
    return response
  }

  /// Whether a redirect led its request to another origin, also if a later redirect led back.
  package var wasRedirectedCrossOrigin: Bool {
    get { self[WasRedirectedCrossOrigin.self] ?? false }
    set { self[WasRedirectedCrossOrigin.self] = newValue ? true : nil }
  }

  private enum WasRedirectedCrossOrigin: ResponseKey { typealias Value = Bool }

  /// Whether the client has changed its request from `http` to `https` at the same server (``Request/moveToSecureOrigin(_:)``).
  package var wasMovedToSecureOrigin: Bool {
    get { self[WasMovedToSecureOrigin.self] ?? false }
    set { self[WasMovedToSecureOrigin.self] = newValue ? true : nil }
  }

  private enum WasMovedToSecureOrigin: ResponseKey { typealias Value = Bool }

  /// Whether the response comes from the origin that its request was made for: no redirect has led to another one, and the client
  /// has at most changed `http` to `https`.
  package func isFromOrigin(of requested: URL) -> Bool {
    guard !wasRedirectedCrossOrigin else { return false }
    return Origin(requested) == Origin(url) || wasMovedToSecureOrigin && Origin(requested).isSecured(by: Origin(url))
  }
}
