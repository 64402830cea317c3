internal import FaradayCore

/// What a request is compared with a recording or a stub by, redacted.
struct RequestKey: Sendable, Equatable {
  let method: String
  let url: String
  /// The values of the chosen fields.
  let headers: [String: String]
  /// Nil if bodies are not compared.
  let body: Data?

  /// The key of a method and a redacted URL only.
  init(method: HTTPRequest.Method, url: String) {
    self.method = method.rawValue
    self.url = url
    headers = [:]
    body = nil
  }

  /// - Parameter request: with its body in memory, if bodies are compared.
  init(_ request: Request, _ redaction: Redaction, _ matching: Cassette.Matching) {
    method = request.method.rawValue
    url = redaction.url(request.url)
    headers = Self.values(of: [HAR.Pair](request.headers, redaction), matching)
    body =
      matching.comparesBodies
      ? redaction.body(request.body.data ?? Data(), of: request.headers) ?? Data(Secrets.mark.utf8) : nil
  }

  /// - Parameters:
  ///   - redaction: for an archive that was not redacted when it was written; nil for one of a cassette.
  ///   - body: reads the recorded body.
  init(
    _ recorded: HAR.Request, _ redaction: Redaction?, _ matching: Cassette.Matching, body: () throws -> Data
  ) rethrows {
    method = recorded.method
    url = redaction?.url(recorded.url) ?? recorded.url
    let fields = (recorded.headers ?? []).fields
    headers = Self.values(of: redaction.map { [HAR.Pair](fields, $0) } ?? recorded.headers ?? [], matching)
    guard matching.comparesBodies else {
      self.body = nil
      return
    }
    let bytes = try body()
    self.body = redaction?.body(bytes, of: fields) ?? bytes
  }

  private static func values(of fields: [HAR.Pair], _ matching: Cassette.Matching) -> [String: String] {
    var found: [String: String] = [:]
    for name in matching.headers {
      let values = fields.filter { $0.name.lowercased() == name.canonicalName }.map { $0.value ?? "" }
      found[name.rawName] = values.joined(separator: ", ")
    }
    return found
  }

  /// What differs from a recording, for an error.
  func differences(from recorded: RequestKey) -> [String] {
    var found: [String] = []
    func compare(_ what: String, _ value: String?, _ old: String?) {
      guard value != old else { return }
      func shown(_ text: String?) -> String { text.map { $0.isEmpty ? "empty" : $0.bounded(to: 120) } ?? "absent" }
      found.append("\(what) is \(shown(value)) and not \(shown(old))")
    }
    compare("the method", method, recorded.method)
    let (parts, oldParts) = (URLParts(url), URLParts(recorded.url))
    compare("the origin", String(parts.start + parts.host), String(oldParts.start + oldParts.host))
    compare("the path", String(parts.path), String(oldParts.path))
    let (query, oldQuery) = (Self.items(of: parts.query ?? ""), Self.items(of: oldParts.query ?? ""))
    for name in Set(query.keys).union(oldQuery.keys).sorted() {
      compare("the query item \(name)", query[name], oldQuery[name])
    }
    if found.isEmpty { compare("the URL", url, recorded.url) }
    for name in headers.keys.sorted() { compare("the field \(name)", headers[name], recorded.headers[name]) }
    if let body, let old = recorded.body, body != old { found.append(Self.difference(body, old)) }
    return found
  }

  private static func items(of query: Substring) -> [String: String] {
    Dictionary(QueryParameters(parsing: query).items.map { ($0.name, $0.value ?? "") }) { $0 + ", " + $1 }
  }

  /// The first different bytes of two bodies, with some before them.
  private static func difference(_ body: Data, _ old: Data) -> String {
    let place = zip(body, old).prefix { $0 == $1 }.count
    func part(_ data: Data) -> String {
      let bytes = data.dropFirst(max(0, place - 20)).prefix(60)
      return bytes.isEmpty ? "empty" : String(decoding: bytes, as: UTF8.self).debugDescription
    }
    return "the body differs at byte \(place): \(part(body)) and not \(part(old))"
  }
}
