internal import FaradayCore
internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A URLSession for requests whose bodies are in memory, and one more for each whose body is not.
// Safe to share: everything is set in `init`, and URLSession may be used from any thread.
final class Session: @unchecked Sendable {
  let settings: SessionSettings
  private let configuration: URLSessionConfiguration
  private let queue = OperationQueue()
  private let session: URLSession

  init(_ given: URLSessionConfiguration) {
    settings = SessionSettings(given)
    configuration = given.copy() as? URLSessionConfiguration ?? .default
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCredentialStorage = nil
    queue.maxConcurrentOperationCount = 1
    queue.name = "faraday-urlsession"
    session = URLSession(configuration: configuration, delegate: SessionDelegate.shared, delegateQueue: queue)
  }

  deinit { session.finishTasksAndInvalidate() }

  /// A task for the request, not started.
  func task(_ request: URLRequest, body: Body) -> URLSessionTask {
    if let data = body.data {
      return data.isEmpty ? session.dataTask(with: request) : session.uploadTask(with: request, from: data)
    }
    // On Linux a body that has nothing to give just now blocks the queue of its whole session.
    let own = URLSession(configuration: configuration, delegate: SessionDelegate.shared, delegateQueue: queue)
    let task = own.uploadTask(withStreamedRequest: request)
    own.finishTasksAndInvalidate()
    return task
  }
}

/// What of a configuration is ours to do, and what the platform would ignore.
struct SessionSettings: Sendable {
  /// `timeoutIntervalForResource`, which Linux ignores: what a request without a total timeout gets.
  let total: Duration?
  private let ignored: [String]

  init(_ configuration: URLSessionConfiguration) {
    let resource = configuration.timeoutIntervalForResource
    total = resource == URLSessionConfiguration.default.timeoutIntervalForResource ? nil : .seconds(resource)
    #if canImport(FoundationNetworking)
    var ignored: [String] = []
    if configuration.connectionProxyDictionary?.isEmpty == false { ignored.append("connectionProxyDictionary") }
    if !configuration.allowsCellularAccess { ignored.append("allowsCellularAccess") }
    if configuration.isDiscretionary { ignored.append("isDiscretionary") }
    self.ignored = ignored
    #else
    ignored = []
    #endif
  }

  func check(_ request: Request) throws {
    guard let setting = ignored.first else { return }
    throw TransportError(
      .unsupported, building: request, "URLSessionAdapter: URLSession ignores \(setting) on this platform")
  }
}
