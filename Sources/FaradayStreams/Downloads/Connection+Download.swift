public import FaradayCore

extension Connection {
  /// Downloads a file with a GET: to `NAME.part` beside the destination, which gets its final name when it is whole and verified.
  ///
  ///     let download = try await connection.download("image.iso", to: "/tmp/image.iso")
  ///
  /// A transfer that breaks off goes on by itself with a `Range` and an `If-Range`, after a delay (``FaradayStreams/DownloadPolicy/retries``). So does
  /// one that was cancelled, failed or ended with its process, when it is called again: then the part file and the validator of
  /// `NAME.part.json` are found. A file that has changed meanwhile, and a server without ranges, start it again. An error before any
  /// content, and a status such as 404, are thrown at once.
  ///
  /// The request asks for no content coding, and passes the connection's stack, once for each attempt. Memory is constant; the
  /// calling task writes and hashes, and the server waits for it. The checksums in `Repr-Digest` and `Content-Digest` (RFC 9530) are
  /// verified, sha-256 and sha-512.
  ///
  /// Throws ``FaradayStreams/DownloadError``, ``FaradayCore/TransportError``, ``FaradayCore/UnexpectedStatus``, `CancellationError`, what building the
  /// request throws, and what a middleware throws. The other arguments are those of `request`; `timeout` is the limit of one attempt.
  ///
  /// - Parameters:
  ///   - destination: the path of the file, whose folder must exist.
  ///   - resuming: whether it goes on where an earlier one has stopped: if the file is unchanged, by default.
  ///   - checksum: the checksum that the file must have, of all its bytes, resumed ones too.
  ///   - policy: existing files, interruptions, and how often progress is reported.
  ///   - progress: called in the calling task as bytes are written, and once at the end. A trailing closure is this one; the other is
  ///     named: `edit:`.
  public func download(
    _ path: String = "", path variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], timeout: Duration? = nil, to destination: String,
    resuming: DownloadResuming = .ifUnchanged, checksum: Checksum? = nil, policy: DownloadPolicy = DownloadPolicy(),
    progress: (@Sendable (DownloadProgress) -> Void)? = nil, edit: (inout Request) throws -> Void = { _ in }
  ) async throws -> Download {
    let request = try request(.get, path, path: variables, query: query, headers: headers, timeout: timeout, edit: edit)
    return try await DownloadRun(
      request, over: self, to: destination, resuming: resuming, checksum: checksum, policy: policy, report: progress
    ).run()
  }
}
