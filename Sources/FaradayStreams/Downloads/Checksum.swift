internal import FaradayCore
internal import FaradaySupport

/// A checksum that a downloaded file must have: `.sha256("ba7816bf…")`.
public struct Checksum: Sendable, Hashable {
  /// A hash function, by its name in the registry of RFC 9530.
  public enum Algorithm: String, Sendable, Hashable, CaseIterable, Codable {
    /// SHA-256 (FIPS 180-4): 32 bytes.
    case sha256 = "sha-256"
    /// SHA-512 (FIPS 180-4): 64 bytes.
    case sha512 = "sha-512"

    /// The length of the hash in bytes.
    var byteCount: Int {
      switch self {
      case .sha256: 32
      case .sha512: 64
      }
    }
  }

  /// The hash function.
  public let algorithm: Algorithm
  /// The expected hash in lower-case hexadecimal digits.
  public let hexadecimal: String

  /// A SHA-256 in hexadecimal digits of either case, as `sha256sum` prints it. A download with a malformed checksum is rejected
  /// before it is sent: ``DownloadError/Reason/invalidRequest(_:)``.
  public static func sha256(_ hexadecimal: String) -> Checksum { Checksum(.sha256, hexadecimal) }

  /// A SHA-512 in hexadecimal digits of either case, as `sha512sum` prints it. A download with a malformed checksum is rejected
  /// before it is sent: ``DownloadError/Reason/invalidRequest(_:)``.
  public static func sha512(_ hexadecimal: String) -> Checksum { Checksum(.sha512, hexadecimal) }

  init(_ algorithm: Algorithm, _ hexadecimal: String) {
    self.algorithm = algorithm
    self.hexadecimal = hexadecimal.lowercased()
  }

  /// Whether it has only hexadecimal digits, of the length of its algorithm.
  var isValid: Bool {
    hexadecimal.utf8.count == 2 * algorithm.byteCount && hexadecimal.utf8.allSatisfy { $0.hexDigitValue != nil }
  }

  /// Parses the checksums of a `Content-Digest` or `Repr-Digest` (RFC 9530): `sha-256=:base64:, sha-512=:base64:`. Unknown
  /// algorithms and malformed members are skipped.
  static func list(_ values: [String]) -> [Checksum] {
    values.flatMap { $0.split(separator: ",") }.compactMap { member in
      // Parameters have no meaning here.
      let text = member.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
      guard let sign = text.firstIndex(of: "="), let algorithm = Algorithm(rawValue: String(text[..<sign])) else { return nil }
      let value = text[text.index(after: sign)...]
      guard value.count >= 2, value.first == ":", value.last == ":",
        let bytes = Data(base64Encoded: String(value.dropFirst().dropLast())), bytes.count == algorithm.byteCount
      else { return nil }
      return Checksum(algorithm, bytes.hexadecimal)
    }
  }
}

/// The hashes of a file, or of one response, computed while it is written.
struct Digests {
  private var sha256: SHA256?
  private var sha512: SHA512?

  init(_ algorithms: some Sequence<Checksum.Algorithm> = []) {
    for algorithm in algorithms {
      switch algorithm {
      case .sha256: sha256 = SHA256()
      case .sha512: sha512 = SHA512()
      }
    }
  }

  var algorithms: [Checksum.Algorithm] {
    (sha256 == nil ? [] : [.sha256]) + (sha512 == nil ? [] : [.sha512])
  }

  mutating func update(_ bytes: Span<UInt8>) {
    sha256?.update(bytes)
    sha512?.update(bytes)
  }

  /// Takes the hashes of another value that has processed the same bytes.
  mutating func join(_ other: Digests) {
    if let hash = other.sha256 { sha256 = hash }
    if let hash = other.sha512 { sha512 = hash }
  }

  /// Returns the hash so far in hexadecimal digits; empty if it is not computed.
  func hexadecimal(_ algorithm: Checksum.Algorithm) -> String {
    switch algorithm {
    case .sha256:
      var hash = sha256
      return hash?.finish().hexadecimal ?? ""
    case .sha512:
      var hash = sha512
      return hash?.finish().hexadecimal ?? ""
    }
  }

  /// Returns the error of the first checksum that differs from the hash so far.
  func mismatch(with checksums: some Sequence<Checksum>) -> DownloadError.Reason? {
    for checksum in checksums {
      let actual = hexadecimal(checksum.algorithm)
      if actual != checksum.hexadecimal {
        return .checksumMismatch(algorithm: checksum.algorithm, expected: checksum.hexadecimal, actual: actual)
      }
    }
    return nil
  }
}
