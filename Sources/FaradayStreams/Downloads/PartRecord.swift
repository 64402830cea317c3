internal import FaradayCore

/// What a part is the beginning of, kept in a file beside it. It has no secrets: of the URL only a hash.
struct PartRecord: Codable, Equatable {
  /// The SHA-256 of the URL, in hexadecimal.
  let url: String
  /// The value for `If-Range`: a strong entity tag, or a date that is a strong validator.
  let validator: String
  /// The size of the file; nil if the server has not said.
  var total: Int64?

  /// Nil if the response has no validator that a range can be asked for with (RFC 9110, sections 8.8.2.2 and 13.1.5), or cannot be
  /// continued: its server says that it has no ranges, or has encoded the body.
  init?(_ response: Response, to request: Request, total: Int64?) {
    let headers = response.headers
    guard headers[.acceptRanges]?.lowercased() != "none", !response.isEncoded else { return nil }
    if let tag = headers[.eTag] {
      guard tag.hasPrefix("\"") else { return nil }
      validator = tag
    } else if let text = headers[.lastModified], let modified = HTTPDate.parse(text),
      let date = headers[.date].flatMap({ HTTPDate.parse($0) }), date.timeIntervalSince(modified) >= 1
    {
      validator = text
    } else {
      return nil
    }
    url = Self.hash(of: request)
    self.total = total
  }

  static func hash(of request: Request) -> String { SHA256.hash(request.url.absoluteString.utf8).hexadecimal }

  /// Nil if there is none, or it is not of this request.
  static func read(_ path: String, for request: Request) -> Self? {
    guard let data = try? PrivateFile.read(path, limit: 64 << 10), let record = try? JSONDecoder().decode(Self.self, from: data),
      record.url == hash(of: request)
    else { return nil }
    return record
  }

  func write(to path: String) throws(PartFile.Failure) {
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      try PrivateFile.write(encoder.encode(self), to: path)
    } catch {
      throw PartFile.Failure(reason: .file((error as? PrivateFile.Failure)?.reason ?? "\(path.bounded()) cannot be written"))
    }
  }

  static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }
}

extension Response {
  /// Whether the body has a content coding.
  var isEncoded: Bool { headers[values: .contentEncoding].contains { $0.lowercased() != "identity" } }
}

/// The `Content-Range` of a response (RFC 9110, section 14.4).
struct ContentRange: Equatable {
  /// Nil if the range is not satisfied.
  let bytes: ClosedRange<Int64>?
  /// Nil if it is unknown.
  let total: Int64?

  init?(_ value: String?) {
    guard let value, value.lowercased().hasPrefix("bytes ") else { return nil }
    let parts = value.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    func number(_ text: Substring) -> Int64? { !text.isEmpty && text.utf8.allSatisfy(\.isDigit) ? Int64(text) : nil }
    total = number(parts[1])
    guard total != nil || parts[1] == "*" else { return nil }
    if parts[0] == "*" {
      guard total != nil else { return nil }
      bytes = nil
      return
    }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map(number)
    guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last < total ?? .max else { return nil }
    bytes = first...last
  }
}
