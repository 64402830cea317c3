private import Synchronization

/// Records the request that an exchange has sent: the middleware below may have changed it, by adding credentials for instance.
///
/// The ``Stack`` next to the adapter writes it. An adapter that passes requests to another stack is seen through, as long as it passes
/// on the request that it was given. Thread-safe.
package final class SentRequest: Sendable {
  private enum State {
    case none
    case sent(Request)
    /// Attempts differed in URL or credentials. The response can be that of any, as hedging sends two at once.
    case ambiguous
  }

  private let state = Mutex(State.none)

  package init() {}

  /// The last request that was sent; nil if a layer below has answered without sending one, or if ``isAmbiguous``.
  package var last: Request? {
    state.withLock { if case .sent(let request) = $0 { request } else { nil } }
  }

  /// Whether several attempts were sent that differ in URL or credentials.
  package var isAmbiguous: Bool {
    state.withLock { if case .ambiguous = $0 { true } else { false } }
  }

  /// Whether a request was sent.
  package var wasSent: Bool {
    state.withLock { if case .none = $0 { false } else { true } }
  }

  fileprivate func note(_ request: Request) {
    state.withLock { state in
      switch state {
      case .none: state = .sent(request)
      case .sent(let earlier): state = request.hasSameCredentials(as: earlier) ? .sent(request) : .ambiguous
      case .ambiguous: break
      }
    }
  }

  fileprivate func begin() {
    state.withLock { if case .sent = $0 { $0 = .none } }
  }
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
    for recorder in recorders { recorder.note(request) }
  }

  /// Records that the request has entered a stack, which may answer without sending it.
  func beginRecording() {
    for recorder in recorders { recorder.begin() }
  }
}
