private import Synchronization

/// Records the request that an exchange has sent: the middleware below may have changed it, by adding credentials for instance.
///
/// The ``Stack`` next to the adapter writes it. An adapter that passes requests to another stack is seen through, as long as it passes
/// on the request that it was given. Thread-safe.
package final class SentRequest: Sendable {
  private let state = Mutex<Request?>(nil)

  package init() {}

  /// The last request that was sent; nil if a layer below has answered without sending one.
  package var last: Request? { state.withLock { $0 } }

  fileprivate func set(_ request: Request?) { state.withLock { $0 = request } }
}

extension Request {
  /// A copy that is recorded when it is sent.
  package func recorded(in sent: SentRequest) -> Request {
    var request = self
    request.context = (context ?? .none).with(recorder: sent)
    return request
  }
}

extension ConnectionContext {
  /// Records that the request is about to be sent.
  func record(_ request: Request) {
    guard !recorders.isEmpty else { return }
    var request = request
    request.context = request.context?.withoutRecorders()
    for recorder in recorders { recorder.set(request) }
  }

  /// Records that the request has entered a stack, which may answer without sending it.
  func beginRecording() {
    for recorder in recorders { recorder.set(nil) }
  }
}
