import Faraday

/// Makes the requests of one URL: method, body, options, and header fields in curl's order.
struct RequestComposer: Sendable {
  let operation: PreparedOperation
  let target: Target
  /// The file of `-T`; nil if there is none.
  let upload: String?
  /// The form of `-F`, with its boundary.
  private let form: FormBody?
  /// Where the transfer goes on; nil if it starts anew.
  let resumesAt: Int64?

  private var settings: Operation { operation.settings }

  init(operation: PreparedOperation, target: Target, upload: String?, resumesAt: Int64? = nil) throws {
    self.operation = operation
    self.target = target
    self.upload = upload
    self.resumesAt = resumesAt
    let type = operation.headers.value(of: "Content-Type") ?? "multipart/form-data"
    let isFormData = type.prefix { $0 != ";" }.trimming().lowercased() == "multipart/form-data"
    form = operation.form.isEmpty ? nil : try FormBody(operation.form, isFormData: isFormData)
  }

  /// The first request.
  func request() throws -> Request { try request(for: Hop(target: target)) }

  /// The request to a URL. Reads no files, except for the size of an upload.
  func request(for hop: Hop) throws -> Request {
    var request = Request(try method(hop), url: try url(hop))
    // No signature for another server.
    if operation.signature != nil, !hop.isTrusted { request.becomeCrossOrigin() }
    request.body = hop.sendsBody ? try body() : .empty
    request.headers = try fields(for: hop, length: request.body.length, hasBody: hasBody && hop.sendsBody)
    request.options.delivery = .streamed
    if let name = settings.requestTarget ?? rawTarget(hop) { request.options.requestTarget = .verbatim(name) }
    try TransportSettings(settings).apply(to: &request.options, of: hop.target)
    addAlternative(to: &request, for: hop)
    addAgent(to: &request)
    try omitFields(from: &request, for: hop)
    if let negotiation = negotiation(for: hop) { request.options.authentication = negotiation }
    if !request.body.isEmpty, settings.version != .http1_0, !operation.headers.has("Expect"), settings.transport == .curl {
      // curl 7.88 asks before an upload of any size.
      let isSmall = operation.data.map { $0.count <= 1 << 20 } ?? false
      let asking = ExpectContinue(minimumBodySize: upload == nil ? 1 << 20 : 1, timeout: settings.expectTimeout ?? .seconds(1))
      if upload != nil || !isSmall { request.options.expectContinue = asking }
    }
    return request
  }

  /// What is asked for, if it is not the URL's path and query: the URL of another scheme, which a proxy translates; and characters
  /// that no URL has, as they were given.
  private func rawTarget(_ hop: Hop) -> String? {
    guard settings.transport == .curl else { return nil }
    if isForwarded(hop) {
      let text = hop.target.text.prefix { $0 != "#" }
      return hop.target.rawTarget == nil && hop.target.scheme == "http" ? nil : String(text)
    }
    guard let raw = hop.target.rawTarget else { return nil }
    return raw
  }

  /// The fields of `--proxy-header`.
  private var proxyHeaders: [HeaderArgument] { get throws { try HeaderArgument.all(settings.proxy.headers) } }

  private func httpProxy(_ hop: Hop) -> Proxy? {
    guard case .some(.proxy(let proxy)) = try? settings.proxySelection(for: hop.target) else { return nil }
    return proxy.scheme == .http || proxy.scheme == .https ? proxy : nil
  }

  /// Whether the request goes to a proxy that passes it on, as far as that is known here.
  private func isForwarded(_ hop: Hop) -> Bool {
    // Another address to connect to is reached through a tunnel.
    guard hop.target.scheme != "https", let proxy = httpProxy(hop), settings.network.connectTo.isEmpty, operation.altSvc == nil
    else {
      return false
    }
    return !proxy.tunnels
  }

  /// The URL of the request. One of another scheme is sent to a proxy only, which gets it as the request target.
  private func url(_ hop: Hop) throws -> URL {
    let scheme = hop.target.scheme
    guard scheme != "http", scheme != "https" else { return hop.target.url }
    var components = URLComponents(url: hop.target.url, resolvingAgainstBaseURL: false)
    components?.scheme = "http"
    components?.port = hop.target.port
    guard isForwarded(hop), let url = components?.url else {
      throw CommandFailure(1, "Protocol \"\(scheme)\" not supported or disabled in libcurl")
    }
    return url
  }

  /// What CONNECT says of the client, to a proxy of the environment too.
  private func addAgent(to request: inout Request) {
    guard settings.transport == .curl, request.headers.contains(.userAgent) else { return }
    request.options[CurlSetting.Key.self].append(CurlSetting("USERAGENT", agent))
  }

  private var agent: String { settings.agent ?? Connection.standardUserAgent }

  /// Connects to the server that `Alt-Svc` has named for the origin.
  private func addAlternative(to request: inout Request, for hop: Hop) {
    guard let store = operation.altSvc?.store else { return }
    let usable = store.alternatives(for: hop.target.url).first { ["h2", "http/1.1"].contains($0.protocolID) }
    guard let usable else { return }
    request.options.network.connectTo.append(
      ConnectTo(host: hop.target.host, port: hop.target.port, toHost: usable.host, toPort: usable.port))
    try? request.headers.set("Alt-Used", "\(usable.host):\(usable.port)")
  }

  private var hasBody: Bool { upload != nil || operation.data != nil || form != nil }

  private func method(_ hop: Hop) throws -> HTTPRequest.Method {
    if let method = settings.method {
      guard let named = HTTPRequest.Method(rawValue: method) else {
        throw CommandFailure.usage(
          "-X: \(method.debugDescription) is not a valid method, which is a token (RFC 9110, section 5.6.2)")
      }
      return named
    }
    if settings.head { return .head }
    guard hop.sendsBody else { return .get }
    if upload != nil { return .put }
    return operation.data == nil && form == nil ? .get : .post
  }

  /// Whether a redirect drops the body. An upload is put again, unless the status is 303.
  func changesToGet(_ status: Int) -> Bool {
    let isPost = operation.data != nil || form != nil
    switch status {
    case 301, 302: return isPost && !settings.keepsPost.contains(status)
    case 303: return !(isPost && settings.keepsPost.contains(303))
    default: return false
    }
  }

  private func body() throws -> Body {
    // The dot is standard input without blocking, which it never does here.
    if let upload { return try uploadBody(InputFile(name: upload == "." ? "-" : upload)) }
    if let form { return form.body }
    let data = operation.data ?? Data()
    guard let chunked = operation.headers.value(of: "Transfer-Encoding"), chunked.lowercased() == "chunked" else {
      return .data(data)
    }
    return .stream(OnePiece(data: data), isReplayable: true)
  }

  /// Where `-C` lets the upload begin.
  private var uploadStart: Int64 { upload == nil ? 0 : resumesAt ?? 0 }

  private func uploadBody(_ file: InputFile) throws -> Body {
    let isChunked = operation.headers.value(of: "Transfer-Encoding")?.lowercased() == "chunked"
    if file.isRegular, !isChunked, uploadStart == 0 { return try .file(file.name) }
    let pieces: InputPieces
    do {
      pieces = try file.pieces()
    } catch {
      throw CommandFailure(
        ExitStatus.readError, "Failed to open/read local data from file/application", below: ["Can't open '\(file.name)'!"])
    }
    if uploadStart > 0 {
      guard pieces.input.skip(uploadStart) else { throw CommandFailure(36, "Could not seek stream") }
      let length = OutputFile.size(of: file.name) - uploadStart
      guard length > 0 else { throw CommandFailure(18, "File already completely uploaded") }
      return Self.stream(InputPieces(pieces.input), length: isChunked ? nil : length)
    }
    return Self.stream(
      pieces, length: isChunked ? nil : operation.headers.value(of: "Content-Length").flatMap { Int64($0) })
  }

  private static func stream(_ pieces: InputPieces, length: Int64?) -> Body {
    .stream(pieces, length: length, isReplayable: pieces.isReplayable)
  }

  // MARK: fields

  /// Takes away what libcurl would write itself: `-H 'Host:'`, and `-H 'Content-Length:'` of an empty body.
  private func omitFields(from request: inout Request, for hop: Hop) throws {
    var headers = operation.headers
    // libcurl's own field for the proxy is the only one among them.
    headers += try proxyHeaders.filter { [$0].has("Proxy-Connection") }
    for case .without(let name) in headers {
      switch name.lowercased() {
      case "host" where hop.isFirstHost: break
      case "proxy-connection" where isForwarded(hop): break
      case "content-length" where request.body.isEmpty && request.method.expectsBody: break
      case "content-length" where !request.body.isEmpty && request.body.length != nil:
        throw CommandFailure.usage("-H 'Content-Length:': a body has a length, or it would be taken for the next request")
      default: continue
      }
      guard settings.transport == .curl else {
        throw CommandFailure(ExitStatus.unsupported, "-H '\(name):' is not supported by \(settings.transport.adapterName)")
      }
      request.options[CurlSetting.Key.self].append(CurlSetting(omitting: name))
    }
  }

  /// The fields in the order in which libcurl writes its own; those of `-H` come after them, and what describes the body last.
  private func fields(for hop: Hop, length: Int64?, hasBody: Bool) throws -> HTTPFields {
    var fields: HTTPFields = [:]
    if let credentials = credentials(for: hop) { try fields.authorize(credentials) }
    if let range { try fields.add("Range", "bytes=" + range) }
    if let upload, uploadStart > 0 {
      let size = OutputFile.size(of: upload)
      try fields.add("Content-Range", "bytes \(uploadStart)-\(size - 1)/\(size)")
    }
    if !agent.isEmpty { try fields.add("User-Agent", agent) }
    try fields.add("Accept", "*/*")
    if asksForTransferCoding {
      let options = [operation.headers.value(of: "Connection"), "TE"].compactMap(\.self)
      try fields.add("Connection", options.joined(separator: ", "))
      try fields.add("TE", "gzip")
    }
    if settings.compressed, let codings = Self.codings { try fields.add("Accept-Encoding", codings) }
    if let referer = hop.referer ?? settings.referer { try fields.add("Referer", referer) }
    if isForwarded(hop), try !proxyHeaders.has("Proxy-Connection") { try fields.add("Proxy-Connection", "Keep-Alive") }
    if let cookies = operation.cookies?.header(for: hop.target.url) {
      if let text = String(validating: cookies, as: UTF8.self) {
        try fields.add("Cookie", text)
      } else {
        fields.append(HTTPField(name: .cookie, lenientValue: cookies))
      }
    }
    if let condition = operation.timeCondition?.field { try fields.add(condition.name, condition.value) }
    var last: HTTPFields = [:]
    if hasBody {
      if settings.transport == .curl, operation.headers.value(of: "Transfer-Encoding") == nil {
        if let length {
          try last.add("Content-Length", "\(length)")
        } else {
          try fields.add("Transfer-Encoding", "chunked")
        }
      }
      if let type = contentType { try last.add("Content-Type", type) }
    }
    return try fields.overridden(by: arguments(for: hop), then: last)
  }

  /// Whether the fields of `--tr-encoding` are added; a `TE` of `-H` is left as it is.
  private var asksForTransferCoding: Bool { settings.asksForTransferCoding && !operation.headers.has("TE") }

  private var contentType: String? {
    if let form { return givenFormType.map { "\($0); boundary=\(form.boundary)" } ?? form.contentType }
    return operation.data == nil ? nil : "application/x-www-form-urlencoded"
  }

  /// The type of `-H` for a form, without a boundary: that of the body must be added. Nil if there is none.
  private var givenFormType: String? {
    guard form != nil, let given = operation.headers.value(of: "Content-Type") else { return nil }
    let parts = given.split(separator: ";").map { $0.trimming() }
    return parts.filter { !$0.lowercased().hasPrefix("boundary=") }.joined(separator: "; ")
  }

  /// The fields of `-H` that may be sent there.
  private func arguments(for hop: Hop) -> [HeaderArgument] {
    operation.headers.filter { argument in
      guard case .field(let name, _) = argument else { return true }
      switch name.lowercased() {
      case "authorization", "cookie": return hop.isTrusted
      case "host": return hop.isFirstHost
      case "content-type": return givenFormType == nil
      case "connection": return !asksForTransferCoding
      default: return true
      }
    }
  }

  private var range: String? {
    if let resumesAt, resumesAt > 0, upload == nil { return "\(resumesAt)-" }
    return settings.range
  }

  /// The codings that a compressed response may have.
  private static let codings: String? = {
    guard let url = URL(string: "http://localhost/") else { return nil }
    var request = Request(.get, url: url)
    request.options.decompression = .standard
    return request.acceptingCodings().headers[.acceptEncoding]
  }()

  // MARK: credentials

  /// The user and password for a URL: those of `-u`, of the URL itself (also one of a redirect), or of `.netrc`, which has one for each host.
  private func login(for hop: Hop) -> Login? {
    if let user = operation.user { return hop.isTrusted && hop.keepsUser ? Login(user) : nil }
    if hop.isRedirected, let own = hop.target.credentials { return Login(own) }
    let given = hop.isTrusted && hop.keepsUser ? target.credentials.map { Login($0) } : nil
    if let given, operation.netrc == nil || settings.netrc == .optional, !given.password.isEmpty { return given }
    let user = given.flatMap { $0.user.isEmpty ? nil : $0.user }
    guard let found = operation.netrc?.credentials(host: hop.target.host, login: user) else { return given }
    return Login(user: found.user, password: found.password)
  }

  private var negotiates: Bool { !settings.schemes.isSubset(of: .basic) }

  private func credentials(for hop: Hop) -> Credentials? {
    guard !negotiates else { return nil }
    if let bearer = settings.bearer { return hop.isTrusted ? .bearer(bearer) : nil }
    guard operation.signature == nil, let login = login(for: hop) else { return nil }
    return .basic(user: login.user, password: login.password)
  }

  /// What the transport negotiates with the server.
  private func negotiation(for hop: Hop) -> Authentication? {
    guard negotiates, let login = login(for: hop) else { return nil }
    return Authentication(user: login.user, password: login.password, schemes: settings.schemes)
  }
}

/// Bytes as a stream, for a body that is to be sent in chunks.
private struct OnePiece: AsyncSequence, Sendable {
  let data: Data

  func makeAsyncIterator() -> Iterator { Iterator(data: data) }

  struct Iterator: AsyncIteratorProtocol {
    var data: Data?

    mutating func next() async -> Data? {
      defer { data = nil }
      return data?.isEmpty == true ? nil : data
    }
  }
}
