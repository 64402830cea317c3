public import FaradayCore

/// A file of an ``HSTSStore`` or ``AltSvcStore`` that could not be read or written.
public struct StoreFileError: FaradayError, Hashable {
  /// The path of the file.
  public let path: String
  /// What failed: `No such file or directory`, for instance.
  public let reason: String

  public var description: String { "file \(path.bounded()): \(reason)" }

  /// The most that is read of a file: 16 MiB.
  static let limit = 16 << 20

  static func reading(_ path: String) throws(StoreFileError) -> Data {
    do { return try PrivateFile.read(path, limit: limit) } catch {
      throw StoreFileError(path: path, reason: error.reason)
    }
  }

  static func writing(_ text: String, to path: String) throws {
    do { try PrivateFile.write(Data(text.utf8), to: path) } catch let failure as PrivateFile.Failure {
      throw StoreFileError(path: path, reason: failure.reason)
    }
  }

  /// The lines of a file with their numbers, from 1, without comments (`#`) and empty lines. A line that is not UTF-8, or longer
  /// than the 4,095 bytes that curl reads of one, is nil.
  static func lines(of data: Data) -> [(number: Int, text: String?)] {
    data.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated().compactMap { index, line in
      var line = line.drop { $0 == 0x20 || $0 == 0x09 }
      if line.last == 0x0D { line = line.dropLast() }
      guard let first = line.first, first != UInt8(ascii: "#") else { return nil }
      return (index + 1, line.count < 4096 ? String(validating: line, as: UTF8.self) : nil)
    }
  }
}
