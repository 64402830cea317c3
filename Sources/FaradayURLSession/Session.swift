@_spi(Adapters) internal import FaradayCore
internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The URLSession of an adapter, with its request queue.
// Safe to share: everything is set in `init`, and URLSession may be used from any thread.
final class Session: @unchecked Sendable {
  let settings: SessionSettings
  /// The number of unread bytes beyond which a response fails.
  let maximumUnread: Int64
  let queue: RequestQueue
  let exchanges = OpenExchanges()
  private let session: URLSession
  private let configuration: URLSessionConfiguration
  private let delegateQueue = DelegateQueue()

  init(_ given: URLSessionConfiguration, maximumUnread: Int64 = URLSessionAdapter.defaultMaximumUnread) {
    self.maximumUnread = maximumUnread
    settings = SessionSettings(given)
    let configuration = given.copy() as? URLSessionConfiguration ?? .default
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCredentialStorage = nil
    self.configuration = configuration
    queue = RequestQueue(limit: configuration.httpMaximumConnectionsPerHost)
    session = URLSession(configuration: configuration, delegate: SessionDelegate.shared, delegateQueue: delegateQueue)
  }

  deinit { session.finishTasksAndInvalidate() }

  /// Creates a task for the request, without starting it.
  func task(_ urlRequest: URLRequest, for request: Request, file: UploadFile?) -> URLSessionTask {
    guard !request.canBeResentWithoutBody else { return task(urlRequest, request.body, file, over: session) }
    // If a keep-alive connection turns out to be closed, URLSession resends the request, even a POST, and often without its
    // body. Only a new session has no keep-alive connections.
    let own = URLSession(configuration: configuration, delegate: SessionDelegate.shared, delegateQueue: delegateQueue)
    defer { own.finishTasksAndInvalidate() }
    return task(urlRequest, request.body, file, over: own)
  }

  private func task(_ request: URLRequest, _ body: Body, _ file: UploadFile?, over session: URLSession) -> URLSessionTask {
    #if canImport(FoundationNetworking)
    // Small files are read into memory: on Linux, URLSession crashes if the task ends while it reads a file (Foundation of
    // Swift 6.3).
    if let content = file?.smallContent, !content.isEmpty { return session.uploadTask(with: request, from: content) }
    #endif
    if let file { return session.uploadTask(with: request, fromFile: file.url) }
    if let data = body.data, !data.isEmpty { return session.uploadTask(with: request, from: data) }
    return session.dataTask(with: request)
  }
}

extension Request {
  /// Whether URLSession may safely resend the request without its body: the request is idempotent (RFC 9110, section 9.2.2) and
  /// has no body.
  fileprivate var canBeResentWithoutBody: Bool { body.isEmpty && method.isIdempotent }
}

/// The operation queue on which URLSession calls its delegate.
// Safe to share: the class adds no state to its superclass, which is thread-safe.
private final class DelegateQueue: OperationQueue, @unchecked Sendable {
  override init() {
    super.init()
    maxConcurrentOperationCount = 1
  }

  #if canImport(FoundationNetworking)
  /// On Linux, runs delegate calls at once, on URLSession's own queue. Otherwise received bytes would be queued here, uncounted
  /// and without bound. It also leaves no time between an event and its delegate call, when a cancellation could crash the
  /// process (Foundation of Swift 6.3).
  override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
  #endif
}

/// The settings of a URLSessionConfiguration that this adapter implements itself, and the settings that the platform ignores.
struct SessionSettings: Sendable {
  /// `timeoutIntervalForResource`, which Linux ignores: the total timeout of requests without one.
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

  /// Throws if the configuration has a setting that the platform ignores.
  func check(_ request: Request) throws {
    guard let setting = ignored.first else { return }
    throw TransportError(
      .unsupported, building: request, "URLSessionAdapter: URLSession ignores \(setting) on this platform")
  }
}
