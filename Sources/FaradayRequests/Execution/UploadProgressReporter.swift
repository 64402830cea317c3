internal import FaradayCore
internal import Synchronization

/// Passes on the upload progress of the adapter, and reports the whole length at the end, because not every adapter reports it,
/// and no adapter reports an empty body.
final class UploadProgressReporter: Sendable {
  private let report: @Sendable (TransferProgress) -> Void
  private let last = Mutex<TransferProgress?>(nil)

  init(_ report: @escaping @Sendable (TransferProgress) -> Void) { self.report = report }

  /// Returns the request with a progress handler, if the adapter supports it.
  func observing(_ request: Request, over capabilities: Capabilities) -> Request {
    guard !request.body.isEmpty, capabilities.contains(.uploadProgress) else { return request }
    var request = request
    let handler = request.options.onUploadProgress
    request.options.onUploadProgress = { [self] progress in
      handler?(progress)
      send(progress)
    }
    return request
  }

  /// Reports the end of the upload. The last reported total is preferred, because a middleware may have changed the body. An
  /// unknown length is not reported.
  func end(length: Int64?) {
    let last = last.withLock { $0 }
    guard let total = last?.total ?? last?.bytes ?? length else { return }
    let whole = TransferProgress(bytes: total, total: total)
    if last != whole { send(whole) }
  }

  private func send(_ progress: TransferProgress) {
    last.withLock { $0 = progress }
    report(progress)
  }
}
