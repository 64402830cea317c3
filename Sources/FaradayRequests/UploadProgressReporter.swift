internal import FaradayCore
internal import Synchronization

/// Tells of one upload as its adapter does, and of the whole at its end: not every adapter does that, and a body without a byte
/// gives none of them anything to tell.
final class UploadReport: Sendable {
  private let report: @Sendable (TransferProgress) -> Void
  private let last = Mutex<TransferProgress?>(nil)

  init(_ report: @escaping @Sendable (TransferProgress) -> Void) { self.report = report }

  /// The request that tells of its upload here too, if the adapter can.
  func following(_ request: Request, over capabilities: Capabilities) -> Request {
    guard !request.body.isEmpty, capabilities.contains(.uploadProgress) else { return request }
    var request = request
    let told = request.options.onUploadProgress
    request.options.onUploadProgress = { [self] progress in
      told?(progress)
      say(progress)
    }
    return request
  }

  /// The upload is over. What was told last knows its total best: somebody may have changed the body on its way. A length that
  /// nobody knows is not told.
  func end(length: Int64?) {
    let last = last.withLock { $0 }
    guard let total = last?.total ?? last?.bytes ?? length else { return }
    let whole = TransferProgress(bytes: total, total: total)
    if last != whole { say(whole) }
  }

  private func say(_ progress: TransferProgress) {
    last.withLock { $0 = progress }
    report(progress)
  }
}
