internal import CCurl
internal import FaradayCore

extension Transfer {
  /// Up to this size a body leaves in one send with its headers; libcurl copies it. It is libcurl's own limit.
  static let smallBody = 64 << 10 - 1

  func configure(_ easy: EasyHandle, errorText: UnsafeMutablePointer<CChar>) throws {
    let this = Unmanaged.passUnretained(self).toOpaque()
    try easy.set(CURLOPT_PRIVATE, this)
    try easy.set(CURLOPT_URL, target.text)
    if let requestTarget { try easy.set(CURLOPT_REQUEST_TARGET, requestTarget) }
    try easy.set(CURLOPT_NOSIGNAL, 1)
    try easy.set(CURLOPT_PATH_AS_IS, 1)
    try easy.set(CURLOPT_TCP_KEEPALIVE, 1)
    try easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
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
    if repetitions.contains(.fresh) { try easy.set(CURLOPT_FRESH_CONNECT, 1) }
    // (RFC 9112, section 9.6.) libcurl sends the field, and keeps the connection if the server does.
    // Nor is one through TLS to a proxy kept: what its layer has received and not handed on cannot be seen.
    let proxy = settings.proxies.proxy(isSecure: target.isSecure)
    if closesConnection || proxy.lowercased().hasPrefix("https:") { try easy.set(CURLOPT_FORBID_REUSE, 1) }
    // Chunks are taken apart here.
    try easy.set(CURLOPT_HTTP_TRANSFER_DECODING, 0)

    try easy.set(CURLOPT_PROXY, proxy)
    // Also if there are none: libcurl would read the environment itself.
    try easy.set(CURLOPT_NOPROXY, settings.proxies.exceptions)
    try request.options.timeouts.apply(to: easy)
    if target.isSecure { try request.options.tls.apply(to: easy) }
    try request.options.httpVersion.apply(to: easy, for: self)
    try setBody(easy, this)
    try setHeaders(easy)
  }

  /// What the first line asks for, where libcurl would say something else.
  private var requestTarget: String? {
    let isAsterisk = request.options.requestTarget == .asterisk
    guard isAsterisk || target.hasEmptyQuery else { return nil }
    let proxy = settings.proxies.proxy(isSecure: target.isSecure)
    let isForwarded = !target.isSecure && !proxy.isEmpty && !proxy.hasPrefix("socks")
    // A proxy gets the server without a path (RFC 9112, section 3.2.4).
    if isAsterisk { return isForwarded ? target.origin : "*" }
    // Newer libcurl drops the question mark of a query that is empty.
    guard !isForwarded else { return nil }
    let text = target.text.utf8.prefix { $0 != UInt8(ascii: "#") }
    let authority = text.dropFirst(target.isSecure ? 8 : 7)
    let path = authority.drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    return (path.first == UInt8(ascii: "/") ? "" : "/") + String(decoding: path, as: UTF8.self)
  }

  /// The request says that it is the last on its connection.
  private var closesConnection: Bool {
    fields.contains { $0.name == .connection && $0.value.lowercased().split { ", \t".contains($0) }.contains("close") }
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
    guard !data.isEmpty || request.method.expectsBody else { return try setMethod(easy, unlike: .get) }
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

  /// libcurl sends the name as it is given, whatever is in it; `HTTPRequest.Method` holds tokens only.
  private func setMethod(_ easy: EasyHandle, unlike implied: HTTPRequest.Method) throws {
    if request.method != implied { try easy.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue) }
  }

  // MARK: headers

  var leavesOutExpect: Bool { repetitions.contains(.withoutExpect) }

  private func setHeaders(_ easy: EasyHandle) throws {
    var line: [CChar] = []
    for field in fields where !leavesOutExpect || field.name != .expect {
      line.removeAll(keepingCapacity: true)
      line.append(contentsOf: field.name.rawName.utf8.lazy.map { CChar(bitPattern: $0) })
      field.withUnsafeBytesOfValue { value in
        // libcurl drops a field whose value is empty or blank, unless it is written like this.
        let isBlank = value.allSatisfy { $0 == 0x20 || $0 == 0x09 }
        line.append(contentsOf: isBlank ? [CChar(bitPattern: 0x3B)] : [0x3A, 0x20])
        if !isBlank { line.append(contentsOf: value.lazy.map { CChar(bitPattern: $0) }) }
      }
      line.append(0)
      try addHeader(line)
    }
    // libcurl's own additions, each off unless the request has it.
    if !request.headers.contains(.accept) { try addHeader("Accept:") }
    if !request.body.isEmpty || request.method.expectsBody {
      if !request.headers.contains(.contentType) { try addHeader("Content-Type:") }
      if leavesOutExpect || !request.headers.contains(.expect) { try addHeader("Expect:") }
    }
    try easy.set(CURLOPT_HTTPHEADER, headers)
  }
}

// MARK: options and settings

extension ReuseLimits {
  func apply(to easy: EasyHandle) throws(EasyHandle.Refused) {
    try easy.set(CURLOPT_MAXAGE_CONN, idle)
    // Since 7.80.
    if let lifetime { _ = faraday_set_long(easy.pointer, CURLOPT_MAXLIFETIME_CONN, lifetime) }
  }
}

extension Timeouts {
  /// Only the connect timeout is libcurl's: its total would run while a request waits for a slot, its idle timeout wakes up
  /// once a second per transfer.
  func apply(to easy: EasyHandle) throws(EasyHandle.Refused) {
    // Zero would mean libcurl's default of five minutes; the largest it takes is 24 days.
    let milliseconds = connect.map { ($0.nanoseconds + 999_999) / 1_000_000 } ?? Int64(Int32.max)
    try easy.set(CURLOPT_CONNECTTIMEOUT_MS, Int(min(max(milliseconds, 1), Int64(Int32.max))))
  }
}

extension HTTPVersionPolicy {
  func apply(to easy: EasyHandle, for transfer: Transfer) throws(EasyHandle.Refused) {
    guard mayBeHTTP2(for: transfer) else { return try easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)) }
    try easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    // Rather waits for a handshake that is going on than opens a connection of its own.
    try easy.set(CURLOPT_PIPEWAIT, 1)
  }

  /// Whether the exchange may turn out to be HTTP/2.
  func mayBeHTTP2(for transfer: Transfer) -> Bool {
    guard transfer.target.isSecure else { return false }
    switch self {
    case .http1: return false
    case .automatic, .http2: return Library.hasHTTP2
    }
  }
}

extension TLS {
  func apply(to easy: EasyHandle) throws(EasyHandle.Refused) {
    try easy.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if let caFile { try easy.set(CURLOPT_CAINFO, caFile) }
    // With a directory of authorities besides the bundle, libcurl parses the bundle anew for every connection.
    if caFile != nil || Library.hasBundle { try easy.set(CURLOPT_CAPATH, nil as String?) }
    if !verifiesServer {
      try easy.set(CURLOPT_SSL_VERIFYPEER, 0)
      try easy.set(CURLOPT_SSL_VERIFYHOST, 0)
    }
  }
}
