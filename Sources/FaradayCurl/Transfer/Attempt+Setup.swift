internal import CCurl
@_spi(Adapters) internal import FaradayCore

extension Attempt {
  /// Sets all options of the easy handle.
  ///
  /// - Parameter copiesBody: true if the body is empty or libcurl copies it; false if libcurl reads it with callbacks.
  func configure(for transfer: Transfer, copiesBody: Bool) throws {
    guard let easy else { return }
    let (target, settings, options) = (transfer.target, transfer.settings, transfer.options)
    let exchange = Unmanaged.passUnretained(transfer.exchange).toOpaque()
    try easy.set(CURLOPT_PRIVATE, Unmanaged.passUnretained(transfer).toOpaque())
    try setURL(of: transfer, easy)
    try easy.set(CURLOPT_NOSIGNAL, 1)
    if options.onRawHead == nil { try easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1) }
    _ = faraday_set_quick_exit(easy.pointer)
    try easy.set(CURLOPT_ERRORBUFFER, errorBuffer)
    try easy.set(CURLOPT_BUFFERSIZE, settings.receiveBufferSize)

    try easy.check(faraday_set_write(easy.pointer, CURLOPT_WRITEFUNCTION, writeCallback), CURLOPT_WRITEFUNCTION)
    try easy.set(CURLOPT_WRITEDATA, exchange)
    try easy.check(faraday_set_write(easy.pointer, CURLOPT_HEADERFUNCTION, headerCallback), CURLOPT_HEADERFUNCTION)
    try easy.set(CURLOPT_HEADERDATA, exchange)
    try easy.check(faraday_set_open_socket(easy.pointer, openSocketCallback), CURLOPT_OPENSOCKETFUNCTION)
    try easy.set(CURLOPT_OPENSOCKETDATA, this)
    _ = faraday_set_ready(easy.pointer, readyCallback, this)

    try settings.reuse.apply(to: easy)
    if needsNewConnection { try easy.set(CURLOPT_FRESH_CONNECT, 1) }
    // After `Connection: close` the connection is closed (RFC 9112, section 9.6). libcurl would keep it if the server keeps it.
    // A TLS connection to a proxy is closed too: unread bytes in its TLS layer cannot be detected.
    if transfer.connectionOptionNames.contains("close") || transfer.proxy?.scheme == .https {
      try easy.set(CURLOPT_FORBID_REUSE, 1)
    }
    // Chunked bodies are decoded by `ChunkDecoder`.
    try easy.set(CURLOPT_HTTP_TRANSFER_DECODING, 0)

    // Set even without a proxy: otherwise libcurl would read the environment.
    try easy.set(CURLOPT_NOPROXY, "")
    if let proxy = transfer.proxy { try proxy.apply(to: self, of: transfer, easy) } else { try easy.set(CURLOPT_PROXY, "") }
    if transfer.needsTunnel { try expectTunnel() }
    try options.timeouts.apply(to: easy)
    // libcurl verifies a DNS-over-HTTPS resolver with these authorities.
    if target.isSecure || transfer.transport.map({ $0.fields.network.dnsOverHTTPS != nil }) ?? false {
      let tls = transfer.transport.map { $0.fields.tls } ?? TLS()
      try tls.apply(to: easy)
      if target.isSecure { try tls.applyHandshake(to: easy, withEarlyData: maySendEarlyData) }
    }
    try options.httpVersion.apply(to: easy, for: transfer)
    try transfer.tcpSettings.apply(to: easy)
    if let transport = transfer.transport { try apply(transport.fields, of: transfer, to: easy) }
    if settings.onEvent != nil || transfer.readsProtocolFromLog {
      // The log shows when bytes were sent, and the negotiated protocol.
      try easy.check(faraday_set_log(easy.pointer, logCallback, this), CURLOPT_DEBUGFUNCTION)
    }
    try setBody(of: transfer, copiesBody, easy)
    try setHeaders(of: transfer)
    if let customize = settings.customize { try customize(UnsafeTransfer(self, transfer, easy), transfer.request) }
  }

  /// Sets the URL and the request target. Together with the request target, libcurl needs only the origin of the URL.
  ///
  /// It gets the whole URL if it may hash the path to answer a challenge, if a trace shows the URL, and if the origin is not
  /// plain: libcurl 7.88 loses the zone of an IPv6 address when it copies a parsed URL.
  private func setURL(of transfer: Transfer, _ easy: EasyHandle) throws {
    let target = transfer.target
    let requestTarget = transfer.requestTarget(answersChallenges: challenges.mayAnswer)
    if let requestTarget { try easy.set(CURLOPT_REQUEST_TARGET, requestTarget) }
    guard requestTarget != nil, !challenges.mayAnswer, transfer.settings.customize == nil, transfer.options.onTrace == nil,
      target.hasPlainOrigin, let origin = transfer.origin.parsed
    else {
      try easy.set(CURLOPT_URL, target.text)
      try easy.set(CURLOPT_PATH_AS_IS, 1)
      return try easy.check(faraday_set_web_protocols(easy.pointer), CURLOPT_PROTOCOLS_STR)
    }
    try setURL(to: origin)
  }

  /// Sets the less common options.
  private func apply(_ options: UncommonOptions.Fields, of transfer: Transfer, to easy: EasyHandle) throws {
    try options.network.apply(to: self, of: transfer, easy)
    if let authentication = options.authentication, challenges.mayUse(authentication.schemes) {
      try authentication.apply(to: transfer, easy)
    }
    try options.rates.apply(to: easy)
    if let expect = options.expectContinue {
      try easy.set(CURLOPT_EXPECT_100_TIMEOUT_MS, Int(clamping: max(1, expect.timeout.nanoseconds / 1_000_000)))
    }
    if options.tls.reportsPeerCertificates || options.tls.verifier != nil, transfer.target.isSecure {
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

  // MARK: method and body

  private func setBody(of transfer: Transfer, _ copiesBody: Bool, _ easy: EasyHandle) throws {
    let request = transfer.request
    let exchange = Unmanaged.passUnretained(transfer.exchange).toOpaque()
    guard request.method != .head else { return try easy.set(CURLOPT_NOBODY, 1) }
    if copiesBody, let data = request.body.data { return try setSmallBody(data, of: request, easy) }
    try easy.set(CURLOPT_UPLOAD, 1)
    // The bytes after a switch of protocols are not framed: with the largest size libcurl adds no chunks.
    try easy.set(CURLOPT_INFILESIZE_LARGE, offset: transfer.switchesProtocol ? .max : request.body.length ?? -1)
    try easy.check(faraday_set_write(easy.pointer, CURLOPT_READFUNCTION, readCallback), CURLOPT_READFUNCTION)
    try easy.set(CURLOPT_READDATA, exchange)
    try easy.check(faraday_set_seek(easy.pointer, seekCallback), CURLOPT_SEEKFUNCTION)
    try easy.set(CURLOPT_SEEKDATA, exchange)
    try easy.set(CURLOPT_UPLOAD_BUFFERSIZE, Self.uploadBufferSize(for: request.body))
    try setMethod(request.method, easy, unlike: .put)
  }

  /// The size of libcurl's buffer for a body, in bytes. Larger writes cost less processor time: for 1 GiB on loopback about a
  /// quarter less with 384 KiB than with 128 KiB, and no less with more. But each active upload has a buffer of that size.
  private static func uploadBufferSize(for body: Body) -> Int {
    body.length ?? 0 > 8 << 20 ? 384 << 10 : 128 << 10
  }

  private func setSmallBody(_ data: Data, of request: Request, _ easy: EasyHandle) throws {
    guard !data.isEmpty || request.method.expectsBody && !isEmptyToLibcurl(request) else {
      return try setMethod(request.method, easy, unlike: .get)
    }
    try easy.set(CURLOPT_POSTFIELDSIZE_LARGE, offset: Int64(data.count))
    try data.withUnsafeBytes { bytes in
      if let start = bytes.baseAddress {
        try easy.set(CURLOPT_COPYPOSTFIELDS, start)
      } else {
        try easy.set(CURLOPT_COPYPOSTFIELDS, "")
      }
    }
    try setMethod(request.method, easy, unlike: .post)
  }

  /// Whether the request has a body of length 0 that libcurl would hold back like any other body. libcurl would then send the
  /// request again if the server does not challenge.
  private func isEmptyToLibcurl(_ request: Request) -> Bool {
    challenges.mayHoldBodyBack && request.body.isEmpty && request.method.expectsBody
  }

  /// Sets the method, unless libcurl implies it. libcurl does not validate it; `HTTPRequest.Method` contains only tokens.
  private func setMethod(_ method: HTTPRequest.Method, _ easy: EasyHandle, unlike implied: HTTPRequest.Method) throws {
    if method != implied { try easy.set(CURLOPT_CUSTOMREQUEST, method.rawValue) }
  }

  // MARK: headers

  /// Whether the request has an `Expect` field, and waits before it sends its body.
  func sendsExpect(of transfer: Transfer) -> Bool { !omitsExpect && transfer.fields.contains { $0.name == .expect } }

  /// The validated field that frames the body, and its index among the fields, if the caller has set it. Nil if libcurl adds
  /// the field.
  private func framingField(of request: Request) -> (line: String, index: Int)? {
    let names = [HTTPField.Name.contentLength, .transferEncoding]
    guard let place = request.headers.firstIndex(where: { names.contains($0.name) }) else { return nil }
    // HTTP/1.0 has no chunks: libcurl fails to add them, also after a challenge in HTTP/1.0. It omits the field over HTTP/2.
    let mayBeHTTP1_0 = request.options.httpVersion == .http1_0 || challenges.mayAnswer
    guard request.body.length != nil || !mayBeHTTP1_0 else { return nil }
    let line = request.body.length.map { "Content-Length: \($0)" } ?? "Transfer-Encoding: chunked"
    return (line, request.headers[..<place].count)
  }

  /// Sets the header fields, and omits fields that libcurl would add.
  func setHeaders(of transfer: Transfer) throws {
    let (request, fields) = (transfer.request, transfer.fields)
    let sendsBody = !request.body.isEmpty || request.method.expectsBody
    let framing = sendsBody ? framingField(of: request) : nil
    var lines: [UInt8] = []
    lines.reserveCapacity(256)
    // libcurl adds `Expect` itself before a body that it may hold back. A request without content must not have it (RFC 9110,
    // section 10.1.1).
    let hasExpect = !omitsExpect && !challenges.mayHoldBodyBack
    // The connection option for `TE`, if no `Connection` field has it (RFC 9110, section 10.1.4).
    var connectionOption =
      request.headers.contains(.te) && !transfer.connectionOptionNames.contains("te") ? "TE" : nil
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
    if framing == nil, isEmptyToLibcurl(request) { lines.append(line: "Content-Length: 0") }
    // Disables the fields that libcurl adds, unless the request has them.
    if !request.headers.contains(.accept) { lines.append(line: "Accept:") }
    if sendsBody {
      if !request.headers.contains(.contentType) { lines.append(line: "Content-Type:") }
      if !sendsExpect(of: transfer) { lines.append(line: "Expect:") }
      if transfer.switchesProtocol { lines.append(line: "Content-Length:") }
    }
    for name in omittedFields { lines.append(line: name + ":") }
    try setList(CURLOPT_HTTPHEADER, lines)
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
  /// Sets the connect timeout. The engine measures the others: libcurl's total timeout would count only from the start of the
  /// transfer, and its idle timeout wakes up once a second per transfer.
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
    // libcurl also starts TCP if QUIC does not connect at once, and uses the first connection that succeeds (happy eyeballs).
    try easy.set(CURLOPT_HTTP_VERSION, Int(transfer.mayBeHTTP3 ? CURL_HTTP_VERSION_3 : over2))
    // Waits for a handshake in progress, to share its connection instead of opening another.
    try easy.set(CURLOPT_PIPEWAIT, 1)
  }

}

extension HTTPField {
  /// Appends the field in libcurl's format: its bytes and a NUL.
  ///
  /// - Parameter blank: the separator after the name of a field without a value: `Name;`, because libcurl would drop `Name:`.
  func append(to line: inout [UInt8], blank: StaticString = ";") {
    line.append(contentsOf: name.rawName.utf8)
    withUnsafeBytesOfValue { value in
      let isBlank = value.allSatisfy { $0 == 0x20 || $0 == 0x09 }
      let separator: StaticString = isBlank ? blank : ": "
      separator.withUTF8Buffer { line.append(contentsOf: $0) }
      if !isBlank { line.append(contentsOf: value) }
    }
    line.append(0)
  }

  /// The field as ``append(to:blank:)`` writes it.
  func line(blank: StaticString = ";") -> [UInt8] {
    var line: [UInt8] = []
    append(to: &line, blank: blank)
    return line
  }
}

extension [UInt8] {
  /// Appends a C string: its bytes and a NUL.
  fileprivate mutating func append(line: String) {
    append(contentsOf: line.utf8)
    append(0)
  }
}
