internal import FaradayCore
internal import FaradaySupport

/// The files of ``CookieJar``, ``HSTSStore`` and ``AlternativeServiceStore``.
extension StoreError {
  /// Reads a file of at most 64 MiB.
  static func reading(_ path: String) throws(StoreError) -> Data {
    do { return try PrivateFile.read(path, limit: 64 << 20) } catch {
      throw StoreError(.file(error.reason), path: path)
    }
  }

  /// Replaces a file atomically; only its owner can read it. Writes into a device or a pipe.
  static func writing(_ data: Data, to path: String) throws {
    do {
      guard try !PrivateFile.write(data, intoDevice: path) else { return }
      try PrivateFile.write(data, to: path)
    } catch let failure as PrivateFile.Failure {
      throw StoreError(.file(failure.reason), path: path)
    }
  }

  /// Splits a file into lines with their numbers, from 1, without comments (`#`) and empty lines. A line that is not UTF-8, or
  /// longer than 4,095 bytes, the maximum of curl, is nil.
  static func lines(of data: Data) -> [(number: Int, text: String?)] {
    data.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated().compactMap { index, line in
      var line = line.drop { $0 == 0x20 || $0 == 0x09 }
      if line.last == 0x0D { line = line.dropLast() }
      guard let first = line.first, first != UInt8(ascii: "#") else { return nil }
      return (index + 1, line.count < 4096 ? String(validating: line, as: UTF8.self) : nil)
    }
  }
}
