import Faraday

/// Composes the request of one URL: method, body, options and header fields.
struct RequestComposer: Sendable {
  private let session: Session
  private let target: Target
  /// The file of `-T`; nil without an upload.
  private let upload: String?
  /// The form of `-F`, with its boundary.
  private let form: MultipartForm?
  /// The offset at which the transfer resumes; nil if it starts from the beginning.
  private let resumesAt: Int64?

  private var settings: Operation { session.settings }

  init(session: Session, target: Target, upload: String?, resumesAt: Int64? = nil) throws {
    self.session = session
    self.target = target
    self.upload = upload
    self.resumesAt = resumesAt
    form = session.settings.form.isEmpty ? nil : try MultipartForm(session.settings.form)
  }

  /// Composes the request, which ``Route`` completes for each destination. Reads no files, except for the size of an upload.
  func request() throws -> Request {
    var request = Request(try method, url: target.url)
    request.body = try body()
    request.headers = try fields(length: request.body.length)
    request.options.delivery = .streamed
    request.options.isRetryable = true
    if let name = settings.requestTarget { request.options.requestTarget = .verbatim(name) }
    if settings.negotiates, let login {
      request.options.authentication = TransportAuthentication(
        user: login.user, password: login.password, schemes: settings.schemes)
    }
    if !request.body.isEmpty, settings.version != .http1_0, !session.headers.has("Expect"), settings.transport == .curl {
      // curl 7.88 sends `Expect: 100-continue` before an upload of any size.
      let isSmall = session.data.map { $0.count <= 1 << 20 } ?? false
      let asking = ExpectContinue(minimumBodySize: upload == nil ? 1 << 20 : 1, timeout: settings.expectTimeout ?? .seconds(1))
      if upload != nil || !isSmall { request.options.expectContinue = asking }
    }
    return request
  }

  private var hasBody: Bool { upload != nil || session.data != nil || form != nil }

  private var method: HTTPRequest.Method {
    get throws {
      if let method = settings.method {
        guard let named = HTTPRequest.Method(rawValue: method) else {
          throw CommandFailure.usage(
            "-X: \(method.debugDescription) is not a valid method, which is a token (RFC 9110, section 5.6.2)")
        }
        return named
      }
      if settings.head { return .head }
      if upload != nil { return .put }
      return session.data == nil && form == nil ? .get : .post
    }
  }

  private func body() throws -> Body {
    // The dot means non-blocking standard input. Standard input never blocks the transfer here.
    if let upload { return try uploadBody(InputFile(name: upload == "." ? "-" : upload)) }
    if let form { return form.body }
    let data = session.data ?? Data()
    guard let chunked = session.headers.value(of: "Transfer-Encoding"), chunked.lowercased() == "chunked" else {
      return .data(data)
    }
    return .stream(OnePiece(data: data), isReplayable: true)
  }

  /// The offset at which `-C` starts the upload.
  private var uploadStart: Int64 { upload == nil ? 0 : resumesAt ?? 0 }

  private func uploadBody(_ file: InputFile) throws -> Body {
    let isChunked = session.headers.value(of: "Transfer-Encoding")?.lowercased() == "chunked"
    if file.isRegular, !isChunked, uploadStart == 0 { return try .file(file.name) }
    var length = session.headers.value(of: "Content-Length").flatMap { Int64($0) }
    var pieces: InputPieces
    do {
      pieces = try InputPieces(file)
    } catch {
      throw CommandFailure(
        ExitStatus.readError, "Failed to open/read local data from file/application", below: ["Can't open '\(file.name)'!"])
    }
    if uploadStart > 0 {
      guard pieces.begin(at: uploadStart) else { throw CommandFailure(36, "Could not seek stream") }
      let rest = OutputFile.size(of: file.name) - uploadStart
      guard rest > 0 else { throw CommandFailure(18, "File already completely uploaded") }
      length = rest
    }
    return .stream(pieces, length: isChunked ? nil : length, isReplayable: pieces.isReplayable)
  }

  // MARK: fields

  /// Composes the fields of the request. The fields of `-H` replace curl's own.
  private func fields(length: Int64?) throws -> HTTPFields {
    var fields: HTTPFields = [:]
    if let credentials { try fields.authorize(credentials) }
    if let range { try fields.append(name: "Range", value: "bytes=" + range) }
    if let upload, uploadStart > 0 {
      let size = OutputFile.size(of: upload)
      try fields.append(name: "Content-Range", value: "bytes \(uploadStart)-\(size - 1)/\(size)")
    }
    let agent = settings.agent ?? Connection.standardUserAgent
    if !agent.isEmpty { try fields.append(name: "User-Agent", value: agent) }
    try fields.append(name: "Accept", value: "*/*")
    if let referer = settings.referer { try fields.append(name: "Referer", value: referer) }
    if let cookies = session.cookies {
      if let text = String(validating: cookies, as: UTF8.self) {
        try fields.append(name: "Cookie", value: text)
      } else {
        fields.append(HTTPField(name: .cookie, lenientValue: cookies))
      }
    }
    if let condition = session.timeCondition?.field { try fields.append(name: condition.name, value: condition.value) }
    var last: HTTPFields = [:]
    if hasBody {
      if settings.transport == .curl, session.headers.value(of: "Transfer-Encoding") == nil {
        if let length {
          try last.append(name: "Content-Length", value: "\(length)")
        } else {
          try fields.append(name: "Transfer-Encoding", value: "chunked")
        }
      }
      if let type = contentType { try last.append(name: "Content-Type", value: type) }
    }
    let arguments = session.headers.filter { givenFormType == nil || $0.name.lowercased() != "content-type" }
    return try fields.overridden(by: arguments, then: last)
  }

  private var contentType: String? {
    if let form { return givenFormType.map { "\($0); boundary=\(form.boundary)" } ?? form.contentType.description }
    return session.data == nil ? nil : "application/x-www-form-urlencoded"
  }

  /// The Content-Type of `-H` for a form, without its boundary, which the body's replaces. Nil without such a field.
  private var givenFormType: String? {
    guard form != nil, let given = session.headers.value(of: "Content-Type") else { return nil }
    let parts = given.split(separator: ";").map { $0.trimming() }
    return parts.filter { !$0.lowercased().hasPrefix("boundary=") }.joined(separator: "; ")
  }

  private var range: String? {
    if let resumesAt, resumesAt > 0, upload == nil { return "\(resumesAt)-" }
    return settings.range
  }

  // MARK: credentials

  /// The user and password of `-u`, or of the URL with the credentials of `.netrc` applied. ``Netrc`` adds credentials that
  /// come only from `.netrc`.
  private var login: Login? {
    if let user = session.user { return Login(user) }
    guard let own = target.credentials.map({ Login($0) }) else { return nil }
    guard let netrc = session.netrc, settings.netrc == .always || own.password.isEmpty else { return own }
    guard let found = netrc.credentials(host: target.host, login: own.user.isEmpty ? nil : own.user) else { return own }
    return Login(user: found.user, password: found.password)
  }

  private var credentials: Credentials? {
    guard !settings.negotiates, session.signature == nil else { return nil }
    return settings.bearer.map { .bearer($0) } ?? login.map { .basic(user: $0.user, password: $0.password) }
  }
}

/// Bytes as a stream, for a body with chunked encoding.
private struct OnePiece: AsyncSequence, AsyncIteratorProtocol, Sendable {
  var data: Data?

  func makeAsyncIterator() -> Self { self }

  mutating func next() async -> Data? {
    defer { data = nil }
    return data?.isEmpty == true ? nil : data
  }
}
