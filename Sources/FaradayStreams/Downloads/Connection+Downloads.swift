public import FaradayCore
private import Synchronization

/// A file of ``FaradayCore/Connection/downloads(_:maximumConcurrent:resuming:options:edit:progress:)``.
public struct DownloadItem: Sendable, Hashable {
  /// A path or URL, joined to the connection's as in other calls.
  public var path: String
  /// The path of the file.
  public var file: String

  /// Something to download, and where to.
  public init(_ path: String, to file: String) {
    self.path = path
    self.file = file
  }
}

/// The progress of several downloads.
public struct DownloadsProgress: Sendable, Hashable {
  /// How many have ended, and how many there are.
  public internal(set) var finished: Int
  public internal(set) var count: Int
  /// How many bytes of all files are there.
  public internal(set) var bytes: Int64
  /// The size of all files; nil as long as one is unknown.
  public internal(set) var total: Int64?
  /// The rate of those that run, in bytes per second.
  public internal(set) var bytesPerSecond: Double
}

extension Connection {
  /// Downloads several files, so many at a time, each as ``download(_:path:query:headers:timeout:to:resuming:options:edit:progress:)``
  /// does.
  ///
  ///     let results = try await connection.downloads(items, maximumConcurrent: 8, progress: { print($0.bytes) })
  ///
  /// One that fails does not end the others: each has its result, in the order of the items. Throws only `CancellationError`, when the
  /// task is cancelled; all have ended then, and their parts are there for another call.
  ///
  /// - Parameters:
  ///   - maximumConcurrent: how many run at the same time, at least 1.
  ///   - options: those of each. A checksum in them would be that of every file.
  ///   - progress: called at most so often for each of the files.
  public func downloads(
    _ items: [DownloadItem], maximumConcurrent: Int = 4, resuming: DownloadOptions.Resuming = .ifUnchanged,
    options: DownloadOptions = DownloadOptions(), edit: @escaping @Sendable (inout Request) throws -> Void = { _ in },
    progress: (@Sendable (DownloadsProgress) -> Void)? = nil
  ) async throws -> [Result<Download, any Error>] {
    let all = AllProgress(items.count, progress)
    @Sendable func one(_ item: DownloadItem, _ index: Int) async -> Result<Download, any Error> {
      let report: @Sendable (DownloadProgress) -> Void = { all.update(index, $0) }
      do {
        let done = try await download(
          item.path, to: item.file, resuming: resuming, options: options, edit: edit, progress: report)
        all.end(index, done)
        return .success(done)
      } catch {
        all.end(index, nil)
        return .failure(error)
      }
    }
    var results: [Result<Download, any Error>?] = Array(repeating: nil, count: items.count)
    await withTaskGroup(of: (Int, Result<Download, any Error>).self) { group in
      var next = min(max(1, maximumConcurrent), items.count)
      for index in 0..<next { group.addTask { (index, await one(items[index], index)) } }
      for await (index, result) in group {
        results[index] = result
        if next < items.count, !Task.isCancelled {
          group.addTask { [next] in (next, await one(items[next], next)) }
          next += 1
        }
      }
    }
    try Task.checkCancellation()
    return results.compactMap { $0 }
  }
}

/// Adds up the progress of several downloads. Thread-safe.
private final class AllProgress: Sendable {
  private struct State {
    var each: [DownloadProgress?]
    var finished = 0
  }

  private let state: Mutex<State>
  private let callback: (@Sendable (DownloadsProgress) -> Void)?

  init(_ count: Int, _ callback: (@Sendable (DownloadsProgress) -> Void)?) {
    state = Mutex(State(each: Array(repeating: nil, count: count)))
    self.callback = callback
  }

  func update(_ index: Int, _ progress: DownloadProgress) {
    report { $0.each[index] = progress }
  }

  func end(_ index: Int, _ download: Download?) {
    report { state in
      state.finished += 1
      state.each[index]?.bytesPerSecond = 0
      guard let size = download?.size else { return }
      state.each[index] = DownloadProgress(bytes: size, total: size, resumed: download?.resumed ?? 0, bytesPerSecond: 0)
    }
  }

  private func report(_ change: (inout State) -> Void) {
    guard let callback else { return }
    let progress = state.withLock { state in
      change(&state)
      let known = state.each.compactMap { $0 }
      let totals = known.compactMap(\.total)
      return DownloadsProgress(
        finished: state.finished, count: state.each.count, bytes: known.reduce(0) { $0 + $1.bytes },
        total: totals.count == state.each.count
          ? totals.reduce(0) { $0.addingReportingOverflow($1).overflow ? .max : $0 + $1 } : nil,
        bytesPerSecond: known.reduce(0) { $0 + $1.bytesPerSecond })
    }
    callback(progress)
  }
}
