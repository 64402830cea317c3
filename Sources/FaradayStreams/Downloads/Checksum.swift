public import FaradayCore

/// A checksum of a file's bytes.
///
///     options.checksum = try .sha256("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
public struct Checksum: Sendable, Hashable {
  /// A hash function, with its name in RFC 9530.
  public enum Algorithm: String, Sendable, Hashable, CaseIterable {
    case sha256 = "sha-256"
    case sha512 = "sha-512"

    var byteCount: Int { self == .sha256 ? 32 : 64 }
  }

  /// The hash function.
  public let algorithm: Algorithm
  /// The value.
  public let bytes: [UInt8]

  /// A checksum by its bytes: 32 for SHA-256, 64 for SHA-512. Others throw ``InvalidChecksum``.
  public init(_ algorithm: Algorithm, _ bytes: [UInt8]) throws {
    guard bytes.count == algorithm.byteCount else { throw InvalidChecksum(algorithm: algorithm) }
    self.algorithm = algorithm
    self.bytes = bytes
  }

  /// A SHA-256 by its 64 hexadecimal digits. Others throw ``InvalidChecksum``.
  public static func sha256(_ hexadecimal: String) throws -> Self { try Self(.sha256, hexadecimal: hexadecimal) }
  /// A SHA-512 by its 128 hexadecimal digits. Others throw ``InvalidChecksum``.
  public static func sha512(_ hexadecimal: String) throws -> Self { try Self(.sha512, hexadecimal: hexadecimal) }

  private init(_ algorithm: Algorithm, hexadecimal: String) throws {
    let digits = hexadecimal.utf8.map(\.hexDigitValue)
    guard digits.count == algorithm.byteCount * 2, !digits.contains(nil) else { throw InvalidChecksum(algorithm: algorithm) }
    let values = digits.compactMap { $0 }
    try self.init(algorithm, stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0]) << 4 | UInt8(values[$0 + 1]) })
  }
}

/// A text or bytes that are no checksum of that kind.
public struct InvalidChecksum: FaradayError, Hashable {
  /// The hash function.
  public let algorithm: Checksum.Algorithm

  public var description: String {
    "a \(algorithm.rawValue) checksum has \(algorithm.byteCount) bytes, \(algorithm.byteCount * 2) hexadecimal digits"
  }
}

extension HTTPFields {
  /// The checksums of `Repr-Digest` or `Content-Digest` (RFC 9530), without those of unknown functions; none if the field is invalid.
  func checksums(_ name: HTTPField.Name) -> [Checksum] {
    var found: [Checksum] = []
    for value in self[values: name] {
      var scanner = FieldScanner(value)
      while true {
        scanner.skipSpace()
        guard let key = scanner.token(), let text = Self.byteSequence(key, &scanner) else { return [] }
        if let algorithm = Checksum.Algorithm(rawValue: text.key) {
          guard let bytes = Data(base64Encoded: text.value), let checksum = try? Checksum(algorithm, Array(bytes)) else {
            return []
          }
          found.append(checksum)
        }
        scanner.skipSpace()
        if scanner.isAtEnd { break }
        guard scanner.take(",") else { return [] }
      }
    }
    return found
  }

  /// `=:BASE64:` behind a key. A token may have the `=` of neither, but base64 ends with some.
  private static func byteSequence(_ key: String, _ scanner: inout FieldScanner) -> (key: String, value: String)? {
    guard scanner.take("="), scanner.take(":") else { return nil }
    var text = ""
    while !scanner.take(":") {
      if let token = scanner.token() {
        text += token
      } else if scanner.take("/") {
        text += "/"
      } else if scanner.take("=") {
        text += "="
      } else {
        return nil
      }
    }
    return (key, text)
  }
}
