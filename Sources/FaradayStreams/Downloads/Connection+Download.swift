public import FaradayCore

extension Connection {
  /// Downloads a file with a GET: to `NAME.part` in the destination's folder. The part file is renamed when it is complete and
  /// verified.
  ///
  ///     let download = try await connection.download("image.iso", to: "/tmp/image.iso")
  ///
  /// An interrupted transfer resumes automatically with a `Range` and an `If-Range`, after a delay
  /// (``FaradayStreams/DownloadPolicy/retries``). A download that was cancelled, failed or ended with its process resumes when
  /// it is called again, with the part file and the validator in `NAME.part.json`. If the file has changed in the meantime, or
  /// the server does not support ranges, the download starts again. An error before any content, and a status such as 404, are
  /// thrown at once.
  ///
  /// The request requests no content coding, and passes the connection's middleware once for each attempt. Memory is constant.
  /// The calling task writes and hashes, with backpressure on the server. The checksums in `Repr-Digest` and `Content-Digest`
  /// (RFC 9530) are verified, sha-256 and sha-512.
  ///
  /// Throws ``FaradayStreams/DownloadError``, ``FaradayCore/TransportError``, ``FaradayCore/StatusError``,
  /// `CancellationError`, and the errors of building the request and of middleware. The other arguments are those of `request`;
  /// `timeout` is the limit of one attempt.
  ///
  /// - Parameters:
  ///   - destination: the path or file URL of the file, whose folder must exist.
  ///   - resuming: whether it resumes an earlier download: by default if the file is unchanged.
  ///   - checksum: the checksum that the file must have, over all its bytes, including resumed ones.
  ///   - policy: existing files, interruptions, and how often progress is reported.
  ///   - progress: called in the calling task as bytes are written, and once at the end. The first trailing closure is `edit`,
  ///     as in all calls; pass `progress` by name: `progress:`.
  public func download(
    _ path: some URLReference = "", variables: [String: any ParameterValue]? = nil, query: QueryParameters = [:],
    headers: KeyValuePairs<String, String> = [:], timeout: Duration? = nil, to destination: some FileReference,
    resuming: DownloadResuming = .ifUnchanged, checksum: Checksum? = nil, policy: DownloadPolicy = DownloadPolicy(),
    edit: (inout Request) throws -> Void = { _ in }, progress: (@Sendable (DownloadProgress) -> Void)? = nil
  ) async throws -> Download {
    let request = try request(.get, path, variables: variables, query: query, headers: headers, timeout: timeout, edit: edit)
    return try await DownloadRun(
      request, over: self, to: destination.filePath, resuming: resuming, checksum: checksum, policy: policy, report: progress
    ).run()
  }
}
