internal import FaradayCore

/// The canonical form of a request; its hash is signed.
struct AWSCanonicalRequest {
  /// The bytes of the canonical form. Bytes, because a field value may not be UTF-8.
  let bytes: [UInt8]
  /// The names of the signed header fields: `host;x-amz-date`.
  let signedHeaders: String

  /// The request target as it is sent.
  struct Target {
    let path: Substring
    let query: Substring

    init(path: Substring, query: Substring) { (self.path, self.query) = (path, query) }

    /// Returns nil if the target has no path.
    init?(_ request: Request) {
      switch request.options.requestTarget {
      case .origin:
        let parts = URLParts(request.url.absoluteString)
        (path, query) = (parts.path, parts.query ?? "")
      case .asterisk: (path, query) = ("*", "")
      case .verbatim(let text):
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        // A number sign does not begin a fragment here: it is sent.
        path = Substring(text.utf8.prefix { $0 != UInt8(ascii: "?") })
        query = Substring(text.utf8.dropFirst(path.utf8.count + 1))
      }
    }
  }

  init(_ request: Request, _ target: Target, host: String, payloadHash: String, scope: AWSScope.Resolved) {
    self.init(
      method: request.method.rawValue, path: target.path, query: target.query,
      fields: Self.fields(of: request, host: host), payloadHash: payloadHash, isS3: scope.isS3)
  }

  /// - Parameters:
  ///   - path: the path as it is sent.
  ///   - query: the query as it is sent, without its `?`.
  ///   - fields: names in lower case, and values.
  init(
    method: String, path: Substring, query: Substring, fields: [String: [[UInt8]]], payloadHash: String, isS3: Bool
  ) {
    let names = Self.sorted(fields.keys)
    signedHeaders = names.joined(separator: ";")
    let path = isS3 ? Self.encodedOnce(path) : Self.encodedTwice(path)
    var bytes = Array("\(method)\n\(path)\n\(Self.canonical(query: query))\n".utf8)
    for name in names {
      bytes += "\(name):".utf8
      bytes += (fields[name] ?? []).map(Self.collapsed).joined(separator: ",".utf8)
      bytes += "\n".utf8
    }
    bytes += "\n\(signedHeaders)\n\(payloadHash)".utf8
    self.bytes = bytes
  }

  /// The names of the header fields of a request that are signed: `host;x-amz-date`.
  static func signedHeaders(of request: Request) -> String { sorted(fields(of: request, host: "").keys).joined(separator: ";") }

  private static func sorted(_ names: some Sequence<String>) -> [String] {
    names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private static func fields(of request: Request, host: String) -> [String: [[UInt8]]] {
    var fields: [String: [[UInt8]]] = [:]
    for field in request.headers where !unsigned.contains(field.name.canonicalName) {
      field.withUnsafeBytesOfValue { fields[field.name.canonicalName, default: []].append(Array($0)) }
    }
    if fields["host"] == nil { fields["host"] = [Array(host.utf8)] }
    return fields
  }

  /// Header fields that an adapter, a proxy or the engine may add, change or remove (RFC 9110, section 7.6.1, and others).
  private static let unsigned: Set = [
    "accept-encoding", "authorization", "connection", "content-length", "cookie", "expect", "keep-alive", "proxy-authorization",
    "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "user-agent", "via", "x-amzn-trace-id",
  ]

  /// Trims a value, and replaces each run of whitespace in it with one space.
  private static func collapsed(_ value: [UInt8]) -> [UInt8] {
    Array(value.split { $0 == 0x20 || (0x09...0x0D).contains($0) }.joined(separator: [0x20]))
  }

  /// Encodes a path for S3: characters that are not unreserved (RFC 3986, section 2.3) are encoded, and existing escapes are
  /// kept.
  private static func encodedOnce(_ path: Substring) -> String {
    guard !path.isEmpty else { return "/" }
    return path.utf8.split(separator: slash, omittingEmptySubsequences: false).map { encoded(QueryParameters.decoded($0)) }
      .joined(separator: "/")
  }

  /// The path of all other services: without dot segments and empty segments, and encoded again, so that `%20` becomes `%2520`.
  private static func encodedTwice(_ path: Substring) -> String {
    var segments: [Substring.UTF8View] = []
    for segment in path.utf8.split(separator: slash) where !segment.elementsEqual(".".utf8) {
      if segment.elementsEqual("..".utf8) { _ = segments.popLast() } else { segments.append(segment) }
    }
    let end = path.utf8.last == slash && !segments.isEmpty ? "/" : ""
    return "/" + segments.map { encoded(Array($0)) }.joined(separator: "/") + end
  }

  /// Encodes the query items and sorts them by name, then by value. A plus sign stays a plus sign, and does not mean a space.
  private static func canonical(query: Substring) -> String {
    let items = query.utf8.split(separator: UInt8(ascii: "&")).map { item in
      let equals = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
      return (
        name: encoded(QueryParameters.decoded(item[..<equals])),
        value: encoded(QueryParameters.decoded(item[equals...].dropFirst()))
      )
    }
    let sorted = items.sorted { left, right in
      let (first, second) = left.name == right.name ? (left.value, right.value) : (left.name, right.name)
      return first.utf8.lexicographicallyPrecedes(second.utf8)
    }
    return sorted.map { $0.name + "=" + $0.value }.joined(separator: "&")
  }

  /// Percent-encodes all characters that are not unreserved (RFC 3986, section 2.3).
  static func encoded(_ bytes: [UInt8]) -> String {
    let encoded = bytes.flatMap { byte -> [UInt8] in
      let isUnreserved = byte.isDigit || (0x61...0x7A).contains(byte.asciiLowercased) || "-._~".utf8.contains(byte)
      return isUnreserved ? [byte] : QueryParameters.escape(byte)
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  private static let slash = UInt8(ascii: "/")
}
