internal import CCurl
internal import FaradayCore

extension Transfer {
  /// The largest body that libcurl copies and sends together with the head, in bytes: libcurl's own limit.
  static let smallBody = 64 << 10 - 1

  /// Sets all options of the easy handle.
  func configure(_ easy: EasyHandle, errorText: UnsafeMutablePointer<CChar>) throws {
    let this = Unmanaged.passUnretained(self).toOpaque()
    try easy.set(CURLOPT_PRIVATE, this)
    try easy.set(CURLOPT_URL, target.text)
    if let requestTarget { try easy.set(CURLOPT_REQUEST_TARGET, requestTarget) }
    try easy.set(CURLOPT_NOSIGNAL, 1)
    try easy.set(CURLOPT_PATH_AS_IS, 1)
    if request.options.onRawHead == nil { try easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1) }
    try easy.check(faraday_set_web_protocols(easy.pointer), CURLOPT_PROTOCOLS_STR)
    _ = faraday_set_quick_exit(easy.pointer)
    try easy.set(CURLOPT_ERRORBUFFER, errorText)
    try easy.set(CURLOPT_BUFFERSIZE, settings.receiveBufferSize)

    try easy.check(faraday_set_write(easy.pointer, CURLOPT_WRITEFUNCTION, writeCallback), CURLOPT_WRITEFUNCTION)
    try easy.set(CURLOPT_WRITEDATA, this)
    try easy.check(faraday_set_write(easy.pointer, CURLOPT_HEADERFUNCTION, headerCallback), CURLOPT_HEADERFUNCTION)
    try easy.set(CURLOPT_HEADERDATA, this)
    try easy.check(faraday_set_open_socket(easy.pointer, openSocketCallback), CURLOPT_OPENSOCKETFUNCTION)
    try easy.set(CURLOPT_OPENSOCKETDATA, this)
    _ = faraday_set_ready(easy.pointer, readyCallback, this)

    try settings.reuse.apply(to: easy)
    // libcurl 8.4 also holds back the body of a later request on the connection, if that request has no credentials.
    if !pastRestarts.isDisjoint(with: [.newConnection, .withoutChallenge]) { try easy.set(CURLOPT_FRESH_CONNECT, 1) }
    // After `Connection: close` the connection is closed (RFC 9112, section 9.6): libcurl would keep it if the server does.
    // A connection over TLS to a proxy is closed too: unread bytes in its TLS layer cannot be detected.
    if closesConnection || proxy?.scheme == .https { try easy.set(CURLOPT_FORBID_REUSE, 1) }
    // Chunked bodies are decoded by `ChunkDecoder`.
    try easy.set(CURLOPT_HTTP_TRANSFER_DECODING, 0)

    // Set even if there is none: otherwise libcurl would read the environment.
    try easy.set(CURLOPT_NOPROXY, "")
    if let proxy { try proxy.apply(to: self, easy) } else { try easy.set(CURLOPT_PROXY, "") }
    attempt.isTunnelling = needsTunnel
    if attempt.isTunnelling { try watchProgress() }
    try request.options.timeouts.apply(to: easy)
    let network = request.options.transport?.fields.network ?? Network()
    // libcurl verifies a resolver over HTTPS by the authorities that are set here.
    if target.isSecure || network.dnsOverHTTPS != nil { try request.options.tls.apply(to: easy) }
    if target.isSecure { try request.options.tls.applyHandshake(to: easy) }
    try request.options.httpVersion.apply(to: easy, for: self)
    try network.apply(to: self, easy)
    if let transport = request.options.transport?.fields { try apply(transport, to: easy) }
    if settings.onEvent != nil || readsProtocolFromLog {
      // Its log says when what was sent, and which protocol was negotiated.
      try easy.check(faraday_set_log(easy.pointer, logCallback, this), CURLOPT_DEBUGFUNCTION)
    }
    try setBody(easy, this)
    try setHeaders(easy)
    if let customize = settings.customize { try customize(UnsafeTransfer(self, easy), request) }
  }

  /// Sets the options that few requests have.
  private func apply(_ options: UncommonOptions.Fields, to easy: EasyHandle) throws {
    let this = Unmanaged.passUnretained(self).toOpaque()
    if let authentication = options.authentication, mayUse(authentication.schemes) { try authentication.apply(to: self, easy) }
    try options.rates.apply(to: easy)
    if let expect = options.expectContinue {
      try easy.set(CURLOPT_EXPECT_100_TIMEOUT_MS, Int(clamping: max(1, expect.timeout.nanoseconds / 1_000_000)))
    }
    if options.tls.reportsPeerCertificates || options.tls.verifier != nil, target.isSecure {
      try easy.check(faraday_set_tls_context(easy.pointer, tlsContextCallback, this), CURLOPT_SSL_CTX_FUNCTION)
    }
    if options.acceptsHTTP0_9 { try easy.set(CURLOPT_HTTP09_ALLOWED, 1) }
    if options.requestTrailers != nil {
      try easy.check(faraday_set_trailer(easy.pointer, trailerCallback, this), CURLOPT_TRAILERFUNCTION)
    }
    if options.onTrace != nil {
      try easy.check(faraday_set_log(easy.pointer, logCallback, this), CURLOPT_DEBUGFUNCTION)
    }
  }

  /// The request target, if it is not the one that libcurl would send.
  private var requestTarget: String? {
    switch request.options.requestTarget {
    case .verbatim(let text): return text
    // A proxy gets the origin without a path (RFC 9112, section 3.2.4).
    case .asterisk: return isForwarded ? target.origin : "*"
    // Newer libcurl drops the question mark of an empty query, and changes escapes; Digest hashes what it would send.
    case .origin:
      guard target.hasEmptyQuery && !isForwarded || hasLowercaseEscape && !answersChallenges else { return nil }
    }
    let text = target.text.utf8.prefix { $0 != UInt8(ascii: "#") }
    if isForwarded { return String(decoding: text, as: UTF8.self) }
    let authority = text.dropFirst(target.isSecure ? 8 : 7)
    let path = authority.drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    return (path.first == UInt8(ascii: "/") ? "" : "/") + String(decoding: path, as: UTF8.self)
  }

  /// Whether libcurl would change the case of an escape in the target: to `%7E`, of `%7e`.
  private var hasLowercaseEscape: Bool {
    let text = target.text.utf8
    guard Library.Behaviour.raisesEscapes, text.contains(UInt8(ascii: "%")) else { return false }
    return text.indices.contains { index in
      text[index] == UInt8(ascii: "%") && text[index...].dropFirst().prefix(2).contains { $0 >= UInt8(ascii: "a") }
    }
  }

  /// Whether the request is sent to a proxy in absolute form, and not to the server.
  var isForwarded: Bool {
    guard let proxy, proxy.forwards(toSecure: target.isSecure) else { return false }
    // libcurl makes a tunnel to another host or port.
    return request.options.transport?.fields.network.leadsElsewhere(from: target) != true
  }

  /// Whether an HTTP proxy is asked for a tunnel (CONNECT).
  var needsTunnel: Bool { proxy.map { !$0.scheme.isSOCKS } == true && !isForwarded }

  /// Whether the request has `Connection: close`.
  private var closesConnection: Bool {
    connectionOptionNames.contains("close")
  }

  // MARK: method and body

  private func setBody(_ easy: EasyHandle, _ this: UnsafeMutableRawPointer) throws {
    guard request.method != .head else { return try easy.set(CURLOPT_NOBODY, 1) }
    if case .none = source, let data = request.body.data { return try setSmallBody(data, easy) }
    try easy.set(CURLOPT_UPLOAD, 1)
    try easy.set(CURLOPT_INFILESIZE_LARGE, offset: request.body.length ?? -1)
    try easy.check(faraday_set_write(easy.pointer, CURLOPT_READFUNCTION, readCallback), CURLOPT_READFUNCTION)
    try easy.set(CURLOPT_READDATA, this)
    try easy.check(faraday_set_seek(easy.pointer, seekCallback), CURLOPT_SEEKFUNCTION)
    try easy.set(CURLOPT_SEEKDATA, this)
    try easy.set(CURLOPT_UPLOAD_BUFFERSIZE, 128 << 10)
    try setMethod(easy, unlike: .put)
  }

  private func setSmallBody(_ data: Data, _ easy: EasyHandle) throws {
    guard !data.isEmpty || request.method.expectsBody && !isEmptyToLibcurl else { return try setMethod(easy, unlike: .get) }
    try easy.set(CURLOPT_POSTFIELDSIZE_LARGE, offset: Int64(data.count))
    try data.withUnsafeBytes { bytes in
      if let start = bytes.baseAddress {
        try easy.set(CURLOPT_COPYPOSTFIELDS, start)
      } else {
        try easy.set(CURLOPT_COPYPOSTFIELDS, "")
      }
    }
    try setMethod(easy, unlike: .post)
  }

  /// Whether libcurl does not know that the request has a body of length 0. It would hold the body back as if there were one, and
  /// send the request again if the server does not challenge.
  private var isEmptyToLibcurl: Bool { request.body.isEmpty && request.method.expectsBody && mayHoldBodyBack }

  /// Sets the method, unless libcurl implies it. libcurl does not check it; `HTTPRequest.Method` holds tokens only.
  private func setMethod(_ easy: EasyHandle, unlike implied: HTTPRequest.Method) throws {
    if request.method != implied { try easy.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue) }
  }

  // MARK: headers

  var omitsExpect: Bool { pastRestarts.contains(.withoutExpect) }

  /// Whether the request asks with `Expect` before it sends its body.
  var sendsExpect: Bool { !omitsExpect && fields.contains { $0.name == .expect } }

  /// The field that says where the body ends, and where among the fields it stands, if the caller has set it: nil if libcurl adds
  /// it. It was checked.
  private var framingField: (line: String, index: Int)? {
    guard !request.body.isEmpty || request.method.expectsBody else { return nil }
    let names = [HTTPField.Name.contentLength, .transferEncoding]
    guard let place = request.headers.firstIndex(where: { names.contains($0.name) }) else { return nil }
    // HTTP/1.0 has no chunks: libcurl refuses to add them, also after a challenge in HTTP/1.0. It leaves the field out over HTTP/2.
    let mayBeHTTP1_0 = request.options.httpVersion == .http1_0 || answersChallenges
    guard request.body.length != nil || !mayBeHTTP1_0 else { return nil }
    let line = request.body.length.map { "Content-Length: \($0)" } ?? "Transfer-Encoding: chunked"
    return (line, request.headers[..<place].count)
  }

  /// The connection option for the request's `TE`, if no `Connection` field has it (RFC 9110, section 10.1.4).
  private var missingConnectionOption: String? {
    guard request.headers.contains(.te) else { return nil }
    return connectionOptionNames.contains("te") ? nil : "TE"
  }

  /// The connection options of the request's `Connection` fields, in lower case.
  private var connectionOptionNames: [Substring] {
    fields.flatMap { $0.name == .connection ? $0.value.lowercased().split { ", \t".contains($0) } : [] }
  }

  func setHeaders(_ easy: EasyHandle) throws {
    let framing = framingField
    var lines: [CChar] = []
    lines.reserveCapacity(256)
    // libcurl asks by itself before it sends a body that it may hold back: a request without content must not (RFC 9110, section
    // 10.1.1).
    let hasExpect = !omitsExpect && !mayHoldBodyBack
    var connectionOption = missingConnectionOption
    for (index, field) in fields.enumerated() where hasExpect || field.name != .expect {
      if let framing, index == framing.index { lines.append(line: framing.line) }
      if field.name == .connection, let option = connectionOption {
        var field = field
        field.value += ", " + option
        connectionOption = nil
        field.append(to: &lines)
      } else {
        field.append(to: &lines)
      }
    }
    if let connectionOption { lines.append(line: "Connection: " + connectionOption) }
    if let framing, framing.index >= fields.count { lines.append(line: framing.line) }
    if framing == nil, isEmptyToLibcurl { lines.append(line: "Content-Length: 0") }
    // Disables the fields that libcurl adds, unless the request has them.
    if !request.headers.contains(.accept) { lines.append(line: "Accept:") }
    if !request.body.isEmpty || request.method.expectsBody {
      if !request.headers.contains(.contentType) { lines.append(line: "Content-Type:") }
      if !sendsExpect { lines.append(line: "Expect:") }
    }
    for name in omittedFields { lines.append(line: name + ":") }
    try setList(CURLOPT_HTTPHEADER, lines, easy)
  }
}

// MARK: options and settings

extension ReuseLimits {
  func apply(to easy: EasyHandle) throws(EasyHandle.OptionRejected) {
    try easy.set(CURLOPT_MAXAGE_CONN, idle)
    // libcurl 7.80 and newer.
    if let lifetime { _ = faraday_set_long(easy.pointer, CURLOPT_MAXLIFETIME_CONN, lifetime) }
  }
}

extension Timeouts {
  /// Only the connect timeout is libcurl's. The others are the engine's: libcurl's total timeout would count only from the start of
  /// the transfer, and its idle timeout wakes up once a second per transfer.
  func apply(to easy: EasyHandle) throws(EasyHandle.OptionRejected) {
    // 0 would mean libcurl's default of five minutes; its maximum is 24 days.
    let milliseconds = connect.map { ($0.nanoseconds + 999_999) / 1_000_000 } ?? Int64(Int32.max)
    try easy.set(CURLOPT_CONNECTTIMEOUT_MS, Int(min(max(milliseconds, 1), Int64(Int32.max))))
  }
}

extension HTTPVersionPolicy {
  func apply(to easy: EasyHandle, for transfer: Transfer) throws(EasyHandle.OptionRejected) {
    guard transfer.mayBeHTTP2 || transfer.mayBeHTTP3 else {
      let version = self == .http1_0 ? CURL_HTTP_VERSION_1_0 : CURL_HTTP_VERSION_1_1
      return try easy.set(CURLOPT_HTTP_VERSION, Int(version))
    }
    let over2 = self == .http2PriorKnowledge ? CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE : CURL_HTTP_VERSION_2TLS
    // libcurl starts TCP besides if QUIC does not connect at once, and takes what connects first (happy eyeballs).
    try easy.set(CURLOPT_HTTP_VERSION, Int(transfer.mayBeHTTP3 ? CURL_HTTP_VERSION_3 : over2))
    // Waits for a handshake in progress, to share its connection, rather than opening another.
    try easy.set(CURLOPT_PIPEWAIT, 1)
  }

}

extension HTTPField {
  /// Appends the field as libcurl takes it: its bytes and a NUL.
  ///
  /// - Parameter blank: what follows the name of a field without a value: `Name;`, as libcurl would drop `Name:`.
  func append(to line: inout [CChar], blank: StaticString = ";") {
    line.append(contentsOf: name.rawName.utf8.lazy.map { CChar(bitPattern: $0) })
    withUnsafeBytesOfValue { value in
      let isBlank = value.allSatisfy { $0 == 0x20 || $0 == 0x09 }
      let separator: StaticString = isBlank ? blank : ": "
      separator.withUTF8Buffer { line.append(contentsOf: $0.lazy.map { CChar(bitPattern: $0) }) }
      if !isBlank { line.append(contentsOf: value.lazy.map { CChar(bitPattern: $0) }) }
    }
    line.append(0)
  }

  /// The field as ``append(to:blank:)`` writes it.
  func line(blank: StaticString = ";") -> [CChar] {
    var line: [CChar] = []
    append(to: &line, blank: blank)
    return line
  }
}

extension [CChar] {
  /// Appends a text of C: its bytes and a NUL.
  fileprivate mutating func append(line: String) {
    append(contentsOf: line.utf8.lazy.map { CChar(bitPattern: $0) })
    append(0)
  }
}
