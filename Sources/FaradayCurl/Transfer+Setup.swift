internal import CCurl
internal import FaradayCore
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension Transfer {
  /// Up to this size a body leaves in one send with its headers; libcurl copies it. It is libcurl's own limit.
  static let smallBody = 64 << 10 - 1

  func configure(_ easy: EasyHandle, _ settings: Settings) throws {
    let this = Unmanaged.passUnretained(self).toOpaque()
    try easy.set(CURLOPT_PRIVATE, this)
    try easy.set(CURLOPT_URL, target.text)
    try easy.set(CURLOPT_NOSIGNAL, 1)
    try easy.set(CURLOPT_PATH_AS_IS, 1)
    try easy.set(CURLOPT_TCP_KEEPALIVE, 1)
    try easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    try easy.check(faraday_set_web_protocols(easy.pointer), CURLOPT_PROTOCOLS_STR)
    _ = faraday_set_quick_exit(easy.pointer)
    try easy.set(CURLOPT_ERRORBUFFER, errorText)
    try easy.set(CURLOPT_BUFFERSIZE, receiveBufferSize)

    try easy.check(faraday_set_write(easy.pointer, CURLOPT_WRITEFUNCTION, writeCallback), CURLOPT_WRITEFUNCTION)
    try easy.set(CURLOPT_WRITEDATA, this)
    try easy.check(faraday_set_write(easy.pointer, CURLOPT_HEADERFUNCTION, headerCallback), CURLOPT_HEADERFUNCTION)
    try easy.set(CURLOPT_HEADERDATA, this)
    try easy.check(faraday_set_open_socket(easy.pointer, openSocketCallback), CURLOPT_OPENSOCKETFUNCTION)
    try easy.set(CURLOPT_OPENSOCKETDATA, this)
    _ = faraday_set_ready(easy.pointer, readyCallback, this)

    try easy.set(CURLOPT_PROXY, settings.proxies.proxy(isSecure: target.isSecure))
    // Also if there are none: libcurl would read the environment itself.
    try easy.set(CURLOPT_NOPROXY, settings.proxies.exceptions)
    try request.options.timeouts.apply(to: easy)
    if target.isSecure { try request.options.tls.apply(to: easy) }
    try request.options.decompression?.apply(to: easy)
    try request.options.httpVersion.apply(to: easy, for: self)
    try setBody(easy, this)
    try setHeaders(easy)
  }

  // MARK: method and body

  private func setBody(_ easy: EasyHandle, _ this: UnsafeMutableRawPointer) throws {
    let body = request.body
    try request.checkBody()
    guard request.method != .head else { return try easy.set(CURLOPT_NOBODY, 1) }
    if let data = body.data, data.count <= Self.smallBody {
      guard !data.isEmpty || sendsEmptyBody else { return try setMethod(easy, unlike: .get) }
      try easy.set(CURLOPT_POSTFIELDSIZE_LARGE, offset: Int64(data.count))
      try data.withUnsafeBytes { bytes in
        if let start = bytes.baseAddress {
          try easy.set(CURLOPT_COPYPOSTFIELDS, start)
        } else {
          try easy.set(CURLOPT_COPYPOSTFIELDS, "")
        }
      }
      return try setMethod(easy, unlike: .post)
    }
    if let data = body.data {
      source = .memory(data)
    } else {
      source = .stream(SendBuffer(length: body.length))
    }
    try easy.set(CURLOPT_UPLOAD, 1)
    try easy.set(CURLOPT_INFILESIZE_LARGE, offset: body.length ?? -1)
    try easy.check(faraday_set_write(easy.pointer, CURLOPT_READFUNCTION, readCallback), CURLOPT_READFUNCTION)
    try easy.set(CURLOPT_READDATA, this)
    try easy.check(faraday_set_seek(easy.pointer, seekCallback), CURLOPT_SEEKFUNCTION)
    try easy.set(CURLOPT_SEEKDATA, this)
    try easy.set(CURLOPT_UPLOAD_BUFFERSIZE, 128 << 10)
    try setMethod(easy, unlike: .put)
  }

  /// Methods that have a body by definition say so when it is empty (RFC 9110, section 8.6).
  private var sendsEmptyBody: Bool {
    request.method == .post || request.method == .put || request.method == .patch
  }

  /// libcurl sends the name as it is given, whatever is in it; `HTTPRequest.Method` holds tokens only.
  private func setMethod(_ easy: EasyHandle, unlike implied: HTTPRequest.Method) throws {
    if request.method != implied { try easy.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue) }
  }

  // MARK: headers

  private func setHeaders(_ easy: EasyHandle) throws {
    var line: [CChar] = []
    for field in try request.fieldsToSend() {
      line.removeAll(keepingCapacity: true)
      line.append(contentsOf: field.name.rawName.utf8.lazy.map { CChar(bitPattern: $0) })
      field.withUnsafeBytesOfValue { value in
        // libcurl drops a field whose value is empty or blank, unless it is written like this.
        let isBlank = value.allSatisfy { $0 == 0x20 || $0 == 0x09 }
        line.append(contentsOf: isBlank ? [CChar(bitPattern: 0x3B)] : [0x3A, 0x20])
        if !isBlank { line.append(contentsOf: value.lazy.map { CChar(bitPattern: $0) }) }
      }
      line.append(0)
      try append(line)
    }
    // libcurl's own additions, each off unless the request has it.
    if !request.headers.contains(.accept) { try append("Accept:") }
    if !request.body.isEmpty || sendsEmptyBody {
      if !request.headers.contains(.contentType) { try append("Content-Type:") }
      if !request.headers.contains(.expect) { try append("Expect:") }
    }
    try easy.set(CURLOPT_HTTPHEADER, headerList)
  }

  private func append(_ line: UnsafePointer<CChar>) throws {
    guard let longer = curl_slist_append(headerList, line) else {
      throw TransportError(.engineFailed, building: request, "out of memory")
    }
    headerList = longer
  }
}
