public import FaradayCore

/// A download that has failed at its file, its checksum, or its ranges.
public struct DownloadError: FaradayError {
  /// What has failed.
  public enum Reason: Sendable, Hashable {
    /// The path is empty, has a NUL character, or is that of a folder.
    case invalidPath
    /// The file exists and is not to be replaced.
    case fileExists
    /// Another download writes to the same file.
    case inUse
    /// The disk has not enough room for the rest of the file. In bytes.
    case noSpace(needed: Int64, available: Int64)
    /// The system refused to open, write or rename: its own words.
    case file(String)
    /// The request has a `Range` of its own.
    case ownRange
    /// The response cannot be a part of the file: what is wrong with it.
    case invalidRange(String)
    /// The bytes have another checksum. The part was removed.
    case checksumMismatch(Checksum.Algorithm)
  }

  /// What has failed.
  public let reason: Reason
  /// The path of the file.
  public let file: String
  /// The method and the redacted URL.
  public let request: RequestSummary?

  public var description: String {
    let problem =
      switch reason {
      case .invalidPath: "cannot be a file: the path is empty, has a NUL character, or is that of a folder"
      case .fileExists: "exists, and is not to be replaced"
      case .inUse: "another download writes to it"
      case .noSpace(let needed, let available): "needs \(needed) more bytes, and the disk has \(available)"
      case .file(let text): text
      case .ownRange: "the request has a Range of its own"
      case .invalidRange(let text): "the response is no part of it: \(text)"
      case .checksumMismatch(let algorithm): "its \(algorithm.rawValue) is not the expected one; the part was removed"
      }
    return naming("file \(file.bounded()): \(problem)")
  }
}
