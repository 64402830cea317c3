internal import Dispatch
@_spi(Adapters) internal import FaradayCore
internal import Foundation
private import Synchronization
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The delegate of all sessions: passes each call to the exchange of its task.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
  static let shared = SessionDelegate()

  private let exchanges = Mutex<[ObjectIdentifier: Exchange]>([:])

  func add(_ exchange: Exchange, for task: URLSessionTask) {
    exchanges.withLock { $0[ObjectIdentifier(task)] = exchange }
  }

  private func exchange(for task: URLSessionTask) -> Exchange? {
    exchanges.withLock { $0[ObjectIdentifier(task)] }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    exchange(for: dataTask)?.received(response)
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(for: dataTask)?.received(data)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData count: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    exchange(for: task)?.sent(totalBytesSent)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let exchange = exchanges.withLock { $0.removeValue(forKey: ObjectIdentifier(task)) }
    exchange?.completed(error, response: task.response)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    if exchange(for: task)?.mayRefuseRedirect ?? true { completionHandler(nil) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if canImport(FoundationNetworking)
    // Foundation on Linux never completes a task with an unanswered challenge. The task has already received its response.
    let exchange = exchanges.withLock { $0.removeValue(forKey: ObjectIdentifier(task)) }
    exchange?.completed(nil, response: task.response)
    // Not here: the call cancels the task, which blocks on this queue (deadlock).
    DispatchQueue.global().async { completionHandler(.cancelAuthenticationChallenge, nil) }
    #else
    completionHandler(.performDefaultHandling, nil)
    #endif
  }
}
