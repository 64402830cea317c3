internal import FaradayCore
internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The URLSession of an adapter.
// Safe to share: everything is set in `init`, and URLSession may be used from any thread.
final class Session: @unchecked Sendable {
  let settings: SessionSettings
  let turns: Turns
  private let session: URLSession
  private let configuration: URLSessionConfiguration
  private let queue = DelegateQueue()

  init(_ given: URLSessionConfiguration) {
    settings = SessionSettings(given)
    let configuration = given.copy() as? URLSessionConfiguration ?? .default
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCredentialStorage = nil
    self.configuration = configuration
    turns = Turns(limit: configuration.httpMaximumConnectionsPerHost)
    session = URLSession(configuration: configuration, delegate: SessionDelegate.shared, delegateQueue: queue)
  }

  deinit { session.finishTasksAndInvalidate() }

  /// A task for the request, not started.
  func task(_ urlRequest: URLRequest, for request: Request, file: UploadFile?) -> URLSessionTask {
    guard !request.mayBeRepeatedWithoutBody else { return task(urlRequest, request.body, file, over: session) }
    // When a kept connection dies URLSession sends its request again: a POST for the second time, and a body often not at all. Only
    // a session of its own has no kept connection.
    let own = URLSession(configuration: configuration, delegate: SessionDelegate.shared, delegateQueue: queue)
    defer { own.finishTasksAndInvalidate() }
    return task(urlRequest, request.body, file, over: own)
  }

  private func task(_ request: URLRequest, _ body: Body, _ file: UploadFile?, over session: URLSession) -> URLSessionTask {
    #if canImport(FoundationNetworking)
    // On Linux URLSession reads a file while libcurl waits for it, and if the task has ended meanwhile, that ends the process
    // (Foundation of Swift 6.3).
    if let content = file?.smallContent, !content.isEmpty { return session.uploadTask(with: request, from: content) }
    #endif
    if let file { return session.uploadTask(with: request, fromFile: file.url) }
    if let data = body.data, !data.isEmpty { return session.uploadTask(with: request, from: data) }
    return session.dataTask(with: request)
  }
}

extension Request {
  /// Whether nothing is done twice and nothing is missing if all but its body is sent again (RFC 9110, section 9.2.2).
  fileprivate var mayBeRepeatedWithoutBody: Bool { body.isEmpty && method.isIdempotent }
}

/// Where URLSession calls its delegate.
// Safe to share: it adds nothing to its class, which is.
private final class DelegateQueue: OperationQueue, @unchecked Sendable {
  override init() {
    super.init()
    maxConcurrentOperationCount = 1
  }

  #if canImport(FoundationNetworking)
  /// On Linux, at once, on the queue that URLSession works on: waiting here, what has arrived would be counted by nobody, and
  /// grow without bound. It also leaves no gap between what URLSession does and what the delegate knows, which a cancellation
  /// could fall into: some of them end the process (Foundation of Swift 6.3).
  override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
  #endif
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
