public import FaradayCore

/// One file of ``FaradayCore/Connection/downloads(_:maximumConcurrent:resuming:policy:edit:progress:)``.
public struct DownloadItem: Sendable, Hashable {
  /// The path or URL, joined to the connection's base URL.
  public var path: String
  /// The path of the file.
  public var destination: String
  /// The checksum that the file must have; nil if it is not known.
  public var checksum: Checksum?

  /// Creates a file to download.
  public init(_ path: some URLReference, to destination: some FileReference, checksum: Checksum? = nil) {
    self.path = path.urlReference
    self.destination = destination.filePath
    self.checksum = checksum
  }
}

/// The progress of many downloads.
public struct DownloadsProgress: Sendable, Hashable {
  /// The number of files.
  public var count: Int
  /// The number of completed files.
  public var completed: Int
  /// The number of failed files.
  public var failed: Int
  /// The bytes of all files together. The total is known when the total of each file is known.
  public var transfer: DownloadProgress
}

extension Connection {
  /// Downloads many files, several of them concurrently, each as
  /// ``download(_:variables:query:headers:timeout:to:resuming:checksum:policy:edit:progress:)`` does. The results are in the
  /// order of the files. A failed file does not end the others.
  ///
  ///     let files = names.map { DownloadItem($0, to: "/srv/files/" + $0) }
  ///     for result in try await connection.downloads(files) { print(try result.get().size) }
  ///
  /// A destination that occurs earlier in the list fails with ``FaradayStreams/DownloadError/Reason/inUse``; no request is sent
  /// for it.
  ///
  /// Throws only `CancellationError`, when all downloads have ended. The part files can be resumed.
  ///
  /// - Parameters:
  ///   - maximumConcurrent: the number of concurrent downloads, 4 by default; at least one.
  ///   - progress: called for all files together, never concurrently, at most
  ///     ``FaradayStreams/DownloadPolicy/reportsPerSecond`` times a second, and once at the end. It runs in the tasks of the
  ///     downloads, and blocks them.
  ///   - edit: changes each request in place.
  public func downloads(
    _ items: [DownloadItem], maximumConcurrent: Int = 4, resuming: DownloadResuming = .ifUnchanged,
    policy: DownloadPolicy = DownloadPolicy(), edit: @escaping @Sendable (inout Request) throws -> Void = { _ in },
    progress: (@Sendable (DownloadsProgress) -> Void)? = nil
  ) async throws -> [Result<Download, any Error>] {
    // Bytes: strings that differ only in their Unicode normal form are equal, but name two files.
    var places: Set<[UInt8]> = []
    // An empty destination is rejected as an invalid path.
    let isTaken = items.map { !$0.destination.isEmpty && !places.insert(Array(PartFile.place(of: $0.destination).utf8)).inserted }
    let tally = progress.map { DownloadsTally(items.count, policy, report: $0) }
    var results = [Result<Download, any Error>?](repeating: nil, count: items.count)
    await withTaskGroup(of: (Int, Result<Download, any Error>).self) { group in
      var next = 0
      func start() {
        guard next < items.count, !Task.isCancelled else { return }
        let (index, item) = (next, items[next])
        next += 1
        group.addTask { (index, await download(item, at: index, isTaken: isTaken[index], resuming, policy, tally, edit)) }
      }
      for _ in 0..<min(max(1, maximumConcurrent), items.count) { start() }
      for await (index, result) in group {
        results[index] = result
        start()
      }
    }
    try Task.checkCancellation()
    tally?.finish()
    return results.map { $0 ?? .failure(CancellationError()) }
  }

  /// Downloads many files into a folder, each under the last segment of its path: `downloads(["a/x.iso", "b/y.iso"], to: "/tmp")`.
  ///
  /// An invalid file name, such as `..`, fails with ``FaradayStreams/DownloadError/Reason/invalidPath``; no request is sent for
  /// it. Otherwise equal to ``downloads(_:maximumConcurrent:resuming:policy:edit:progress:)``.
  public func downloads(
    _ paths: [some URLReference], to folder: some FileReference, maximumConcurrent: Int = 4,
    resuming: DownloadResuming = .ifUnchanged,
    policy: DownloadPolicy = DownloadPolicy(), edit: @escaping @Sendable (inout Request) throws -> Void = { _ in },
    progress: (@Sendable (DownloadsProgress) -> Void)? = nil
  ) async throws -> [Result<Download, any Error>] {
    let folder = folder.filePath
    let items = paths.map(\.urlReference).map { path in
      // An empty destination is rejected as an invalid path.
      guard let name = Self.fileName(of: path) else { return DownloadItem(path, to: "") }
      return DownloadItem(path, to: folder.hasSuffix("/") ? folder + name : folder + "/" + name)
    }
    return try await downloads(
      items, maximumConcurrent: maximumConcurrent, resuming: resuming, policy: policy, edit: edit, progress: progress)
  }

  /// Returns the last segment of a path, decoded; nil if it is empty or an invalid file name.
  static func fileName(of path: String) -> String? {
    let place = path.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    guard let segment = place.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last,
      let bytes = QueryParameters.strictlyDecoded(segment)
    else { return nil }
    guard !bytes.isEmpty, !bytes.contains(UInt8(ascii: "/")), !bytes.contains(0),
      let name = String(validating: bytes, as: UTF8.self), name != ".", name != ".."
    else { return nil }
    return name
  }

  private func download(
    _ item: DownloadItem, at index: Int, isTaken: Bool, _ resuming: DownloadResuming, _ policy: DownloadPolicy,
    _ tally: DownloadsTally?, _ edit: @Sendable (inout Request) throws -> Void
  ) async -> Result<Download, any Error> {
    var own = policy
    // The rate limits the reports of all files together, not of each file.
    if tally != nil { own.reportsPerSecond = .infinity }
    do {
      guard !isTaken else { throw DownloadError(.inUse, path: item.destination) }
      let request = try request(.get, item.path, edit: edit)
      let run = try DownloadRun(
        request, over: self, to: item.destination, resuming: resuming, checksum: item.checksum, policy: own,
        report: tally.map { tally in { tally.advance(index, $0) } })
      let done = try await run.run()
      tally?.end(isComplete: true)
      return .success(done)
    } catch {
      tally?.end(isComplete: false)
      return .failure(error)
    }
  }
}
