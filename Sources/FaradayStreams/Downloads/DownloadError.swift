public import FaradayCore

/// The error of a download to a file that failed because of the file, its checksum, or an unsuitable response.
///
/// A broken transfer throws its ``FaradayCore/TransportError``, and a status such as 404 throws
/// ``FaradayCore/StatusError``.
public struct DownloadError: FaradayError, Hashable {
  /// The reason why the download failed.
  public enum Reason: Sendable, Hashable {
    /// The destination is empty, too long, has a NUL character, or no file name could be derived from the URL.
    case invalidPath
    /// The destination ends in `.part` or `.part.json`, as the files of unfinished downloads do.
    case reservedName
    /// The destination is a folder.
    case isFolder
    /// The destination's folder does not exist.
    case missingFolder
    /// There is a file at the destination, and the policy is ``DownloadPolicy/ExistingFile/fail``.
    case fileExists
    /// The system denies access to the file or its folder.
    case notPermitted
    /// Another download to the same destination is running, in this or in another process, or is in the same list.
    case inUse
    /// The volume has too little space: `needed` bytes are still to come, `free` bytes are available; nil if unknown.
    case noSpace(needed: Int64?, free: Int64?)
    /// Another error of the file system, with its message.
    case fileFailed(String)
    /// The bytes do not match the checksum of the caller or the server. The part file is removed. Both are in
    /// hexadecimal digits.
    case checksumMismatch(algorithm: Checksum.Algorithm, expected: String, actual: String)
    /// The request cannot be downloaded: it is not a GET, it has a `Range` or `If-Range`, or the checksum is malformed. The
    /// text says which. Nothing was sent.
    case invalidRequest(String)
    /// The response does not match the request, such as a part where the whole file was requested. The text gives the reason.
    case invalidResponse(String)
  }

  /// The reason why the download failed.
  public let reason: Reason
  /// The destination.
  public let path: String
  /// The request; nil if there was no request yet.
  public let request: RequestSummary?

  init(_ reason: Reason, path: String, request: Request? = nil) {
    self.reason = reason
    self.path = path
    self.request = request.map(RequestSummary.init)
  }

  /// Creates the error for an `errno` of the system.
  init(errno code: Int32, path: String) {
    self.init(Self.reason(errno: code), path: path)
  }

  static func reason(errno code: Int32) -> Reason {
    switch code {
    case ENOENT, ENOTDIR: .missingFolder
    case EACCES, EPERM, EROFS: .notPermitted
    case EISDIR: .isFolder
    case EEXIST: .fileExists
    case ENOSPC, EDQUOT: .noSpace(needed: nil, free: nil)
    case ENAMETOOLONG: .invalidPath
    default: .fileFailed(String(cString: strerror(code)))
    }
  }

  public var description: String { naming("download to \(path.debugDescription.bounded()): \(problem)") }

  private var problem: String {
    switch reason {
    case .invalidPath: return "not a valid path of a file"
    case .reservedName: return "names that end in .part and .part.json are reserved for unfinished downloads"
    case .isFolder: return "it is a folder"
    case .missingFolder: return "its folder does not exist"
    case .fileExists: return "the file exists already"
    case .notPermitted: return "access denied"
    case .inUse: return "another download to this file is running"
    case .noSpace(let needed, let free):
      guard let needed, let free else { return "no space left" }
      return "no space left: \(needed) bytes are needed, \(free) are free"
    case .fileFailed(let text): return text
    case .checksumMismatch(let algorithm, let expected, let actual):
      return "wrong checksum: \(algorithm.rawValue) is \(actual), expected \(expected.bounded())"
    case .invalidRequest(let text), .invalidResponse(let text): return text
    }
  }
}

#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#endif
