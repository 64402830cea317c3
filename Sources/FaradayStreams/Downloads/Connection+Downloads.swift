public import FaradayCore

/// One file of ``FaradayCore/Connection/downloads(_:maximumConcurrent:resuming:policy:progress:edit:)``.
public struct DownloadItem: Sendable, Hashable {
  /// The path or URL, joined to the connection's.
  public var path: String
  /// The path of the file.
  public var destination: String
  /// The checksum that the file must have; nil if it is not known.
  public var checksum: Checksum?

  /// A file to download.
  public init(_ path: String, to destination: String, checksum: Checksum? = nil) {
    self.path = path
    self.destination = destination
    self.checksum = checksum
  }
}

/// The progress of many downloads.
public struct DownloadsProgress: Sendable, Hashable {
  /// The number of files.
  public var count: Int
  /// How many of them are complete.
  public var completed: Int
  /// How many of them have failed.
  public var failed: Int
  /// The bytes of all together. The total is known when that of each file is.
  public var transfer: DownloadProgress
}

extension Connection {
  /// Downloads many files, some of them at the same time, each as ``download(_:path:query:headers:timeout:to:resuming:checksum:policy:progress:edit:)``
  /// does. The results are in the order of the files: one that fails does not end the others.
  ///
  ///     let files = names.map { DownloadItem($0, to: "/srv/files/" + $0) }
  ///     for result in try await connection.downloads(files) { print(try result.get().size) }
  ///
  /// A destination that is another's of the list already fails with ``FaradayStreams/DownloadError/Reason/inUse``; nothing is sent for
  /// it.
  ///
  /// Throws only `CancellationError`, when all downloads have ended: their parts can be continued.
  ///
  /// - Parameters:
  ///   - maximumConcurrent: how many run at the same time, 4 by default; at least one does.
  ///   - progress: called for all of them together, by one at a time, at most ``FaradayStreams/DownloadPolicy/reportsPerSecond`` times a second, and
  ///     once at the end. It runs in the tasks of the downloads, which it blocks meanwhile.
  ///   - edit: changes each request in place.
  public func downloads(
    _ items: [DownloadItem], maximumConcurrent: Int = 4, resuming: DownloadResuming = .ifUnchanged,
    policy: DownloadPolicy = DownloadPolicy(), progress: (@Sendable (DownloadsProgress) -> Void)? = nil,
    edit: @escaping @Sendable (inout Request) throws -> Void = { _ in }
  ) async throws -> [Result<Download, any Error>] {
    // Bytes: strings that differ only in their Unicode normal form are equal, and name two files.
    var places: Set<[UInt8]> = []
    // An empty one is refused as an invalid path.
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
  /// A name that is none, such as `..`, fails with ``FaradayStreams/DownloadError/Reason/invalidPath``; nothing is sent for it. Everything else is as of ``downloads(_:maximumConcurrent:resuming:policy:progress:edit:)``.
  public func downloads(
    _ paths: [String], to folder: String, maximumConcurrent: Int = 4, resuming: DownloadResuming = .ifUnchanged,
    policy: DownloadPolicy = DownloadPolicy(), progress: (@Sendable (DownloadsProgress) -> Void)? = nil,
    edit: @escaping @Sendable (inout Request) throws -> Void = { _ in }
  ) async throws -> [Result<Download, any Error>] {
    let items = paths.map { path in
      // An empty destination is refused as an invalid path.
      guard let name = Self.fileName(of: path) else { return DownloadItem(path, to: "") }
      return DownloadItem(path, to: folder.hasSuffix("/") ? folder + name : folder + "/" + name)
    }
    return try await downloads(
      items, maximumConcurrent: maximumConcurrent, resuming: resuming, policy: policy, progress: progress, edit: edit)
  }

  /// The last segment of a path, decoded; nil if it is empty or not the name of a file.
  static func fileName(of path: String) -> String? {
    let place = path.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    guard var rest = place.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last.map({ Array($0)[...] })
    else { return nil }
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst()?.hexDigitValue, let low = rest.popFirst()?.hexDigitValue else { return nil }
      bytes.append(high << 4 | low)
    }
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
    // All together are reported so often, and not each of them.
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
