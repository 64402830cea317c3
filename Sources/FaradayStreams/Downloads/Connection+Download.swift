public import FaradayCore

extension Connection {
  /// Downloads to a file: a GET whose body is streamed to the disk in constant memory, and that goes on where it broke off.
  ///
  ///     try await connection.download("releases/1.iso", to: "/srv/1.iso", progress: { print($0.fraction ?? 0) })
  ///
  /// The bytes go into `FILE.part`, which is written through to the disk (`fsync`) and renamed at the end: no half file ever has the
  /// name. `FILE.part.json` keeps what identifies the part, its strong `ETag` or `Last-Modified`. The part stays after an error that
  /// may pass and after a cancellation, for the next call with the same URL and file, also one of another process. A download locks its
  /// part (`flock`): another one to the same file throws ``DownloadError/Reason/inUse``.
  ///
  /// A transfer that breaks off is continued with `Range` and `If-Range` (RFC 9110, sections 13.1.5 and 14), after a delay with
  /// exponential backoff and full jitter, and ``DownloadOptions/maximumFailures`` times in a row without a new byte. Where the server
  /// has no ranges, or what it has is not what it was, the download starts again from the first byte. Each request goes through the
  /// middleware as any other, without `Range` if it is the first.
  ///
  /// The request asks for no content coding, as a part of an encoded body is of no use. A server that encodes nevertheless is decoded
  /// (``Options/decompression``), and cannot be continued. `Repr-Digest` and `Content-Digest` (RFC 9530, SHA-256 and SHA-512) are
  /// verified, and so is ``DownloadOptions/checksum``.
  ///
  /// Writing blocks the calling task's thread for as long as the kernel takes a piece. Throws ``DownloadError``, ``UnexpectedStatus``
  /// for a status that is neither 200 nor 206, and what sending throws.
  ///
  /// - Parameters:
  ///   - file: the path of the file. Its folder must exist.
  ///   - resuming: whether a part that is there is continued.
  ///   - options: retries, checksum, and what happens to a file that exists.
  ///   - edit: changes the request in place. A `Range` of its own is refused.
  ///   - progress: called at most ten times a second, unless the options say otherwise, and at the end.
  @discardableResult
  public func download(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], timeout: Duration? = nil, to file: String,
    resuming: DownloadOptions.Resuming = .ifUnchanged, options: DownloadOptions = DownloadOptions(),
    edit: (inout Request) throws -> Void = { _ in },
    progress: (@Sendable (DownloadProgress) -> Void)? = nil
  ) async throws -> Download {
    var request = try request(.get, path, path: variables, query: query, headers: headers, timeout: timeout) {
      if $0.options.decompression == nil { $0.options.decompression = .standard }
      try edit(&$0)
    }
    request.options.delivery = .streamed
    if request.headers[.acceptEncoding] == nil { request.headers[.acceptEncoding] = "identity" }
    var download = try FileDownload(
      self, request, to: file, resuming: resuming, options: options, progress: progress)
    return try await download.run()
  }
}

/// A file that was downloaded.
public struct Download: Sendable {
  /// The path of the file.
  public let file: String
  /// Its size in bytes.
  public let size: Int64
  /// How many of the bytes an earlier call had left in the part.
  public let resumed: Int64
  /// The number of requests that were sent; 0 if the part was whole already and only lacked its name.
  public let requestCount: Int
  /// The last response, without its body; nil if no request was sent.
  public let response: Response?
  /// Whether a checksum was compared: one that was given, or one of the server's.
  public let isVerified: Bool
}
