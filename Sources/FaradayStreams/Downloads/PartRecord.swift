internal import FaradayCore
internal import FaradaySupport

/// The record of the file that a part belongs to. It is stored beside the part, so that a later process can resume the
/// download.
///
/// It is written before the first byte, and replaced atomically. At any moment there is no record, or an old record without
/// bytes, or the record of the bytes. It contains no URL, and no header field except the validator.
struct PartRecord: Codable, Equatable {
  private var version = 2
  /// The hash of the URL and of the request fields that choose a representation.
  let resource: String
  /// A strong `ETag` or a strong `Last-Modified`: the value of `If-Range` (RFC 9110, section 13.1.5).
  let validator: String
  let total: Int64?
  /// The content codings of the bytes: some servers use one `ETag` for all of them.
  let codings: [String]
  /// The server's checksums, in hexadecimal digits.
  let digests: [Checksum.Algorithm: String]

  /// Returns nil if the response has no validator for a range request, or if the server does not support ranges. Nil for a 203
  /// too, because a proxy has transformed it (RFC 9110, section 15.3.4).
  init?(_ response: Response, total: Int64?, digests: [Checksum], to request: Request) {
    guard response.status == .ok, let validator = Self.validator(of: response.headers),
      response.headers[.acceptRanges]?.trimming().lowercased() != "none"
    else { return nil }
    resource = Self.resource(of: request)
    self.validator = validator
    self.total = total
    codings = response.contentCodings
    self.digests = Dictionary(digests.map { ($0.algorithm, $0.hexadecimal) }) { first, _ in first }
  }

  /// Reads the record of a part file. Returns nil if there is no record, if it belongs to another resource or to a user who is
  /// not one of the `owners`, or if it does not match `size` bytes.
  init?(at path: String, size: Int64, ownedBy owners: Set<UInt32>, for request: Request) {
    guard let data = try? PrivateFile.read(path, limit: 64 << 10, ownedBy: owners),
      let record = try? JSONDecoder().decode(PartRecord.self, from: data),
      record.version == 2, record.resource == Self.resource(of: request), record.total ?? .max >= size,
      Self.isEntityTag(record.validator) || HTTPDate.parse(record.validator) != nil
    else { return nil }
    self = record
  }

  func write(to path: String) throws { try PrivateFile.write(JSONEncoder().encode(self), to: path) }

  var checksums: [Checksum] { digests.map { Checksum($0.key, $0.value) } }

  /// Whether a response contains the validator. Only then its part may be combined with the bytes (RFC 9110, section 15.3.7.3):
  /// nothing else proves that the server has compared the `If-Range`.
  func isStated(in response: Response) -> Bool { stated(in: response) == validator }

  /// Whether a response contains a different validator.
  func isContradicted(by response: Response) -> Bool { stated(in: response).map { $0 != validator } ?? false }

  private func stated(in response: Response) -> String? {
    response.headers[Self.isEntityTag(validator) ? .eTag : .lastModified]?.trimming()
  }

  /// The strong `ETag`; the `Last-Modified` only if there is no `ETag` at all, and it lies at least a minute before the `Date`
  /// (RFC 9110, sections 8.8.2.2 and 13.1.5). The two can come from different clocks; a minute makes a wrong order unlikely.
  private static func validator(of headers: HTTPFields) -> String? {
    if let tag = headers[.eTag]?.trimming() { return isEntityTag(tag) ? tag : nil }
    guard let modified = headers[.lastModified]?.trimming(), let instant = HTTPDate.parse(modified),
      let date = headers[.date].flatMap({ HTTPDate.parse($0) }), date.timeIntervalSince(instant) >= 60
    else { return nil }
    return modified
  }

  /// Whether it is a strong entity tag (RFC 9110, section 8.8.3) of ASCII characters. Other characters might not be sent back
  /// unchanged.
  private static func isEntityTag(_ text: String) -> Bool {
    let bytes = text.utf8
    guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else { return false }
    return bytes.dropFirst().dropLast().allSatisfy { (0x21..<0x7F).contains($0) && $0 != UInt8(ascii: "\"") }
  }

  private static func resource(of request: Request) -> String {
    let url = request.url.absoluteString.prefix { $0 != "#" }
    let chosen = [request.headers[.accept], request.headers[.acceptLanguage]].map { $0 ?? "" }
    return SHA256.hash(([String(url)] + chosen).joined(separator: "\n").utf8).hexadecimal
  }
}
