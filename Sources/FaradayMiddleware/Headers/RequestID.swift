public import FaradayCore

/// Adds a unique request ID header to every request, to correlate the logs of client and server: a UUID in `X-Request-ID` by
/// default.
///
///     connection.use(.requestID)
///     connection.use(.retry)
///
/// A request with the header keeps it. A request with ``FaradayCore/Options/requestID`` is sent with that ID. Above ``Retry``
/// all attempts have the same ID, below it each has its own. An ID with a line break throws ``FaradayCore/InvalidValueError``.
public struct RequestID: Middleware {
  private let header: String
  private let make: @Sendable () -> String

  /// - Parameters:
  ///   - header: the name of the header field.
  ///   - make: generates an ID; a UUID by default.
  public init(header: String = "X-Request-ID", make: (@Sendable () -> String)? = nil) {
    self.header = header
    self.make = make ?? { UUID().uuidString }
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    var request = request
    let name = HTTPField.Name(header)
    let own = name.flatMap { request.headers[$0] }
    let id = own ?? request.options.requestID ?? make()
    if own == nil { try request.headers.set(name: header, value: id) }
    request.options.identification = Identification(id: id, field: name)
    var response = try await next(request)
    response.requestID = id
    return response
  }
}

extension Options {
  /// The request's ID; nil if no ``FaradayMiddleware/RequestID`` has handled it yet. A value that is set is sent.
  public var requestID: String? {
    get { identification.id }
    set { identification = Identification(id: newValue) }
  }

  /// The ID, and the name of its header field.
  var identification: Identification {
    get { self[Key.self] }
    set { self[Key.self] = newValue }
  }

  private enum Key: OptionKey { static let defaultValue = Identification() }
}

/// The ID of a request, and the name of its header field. All values are equal, so that requests with different IDs can share a
/// response (``Coalescing``).
struct Identification: Sendable, Hashable {
  var id: String?
  var field: HTTPField.Name?

  static func == (left: Identification, right: Identification) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}

extension Response {
  /// The ID of the request; nil if no ``FaradayMiddleware/RequestID`` has handled it.
  public internal(set) var requestID: String? {
    get { self[Key.self] }
    set { self[Key.self] = newValue }
  }

  private enum Key: ResponseKey { typealias Value = String }
}

extension Middleware where Self == RequestID {
  /// Adds a UUID in `X-Request-ID` to every request.
  public static var requestID: Self { Self() }

  /// Adds a request ID to every request.
  public static func requestID(header: String, make: (@Sendable () -> String)? = nil) -> Self {
    Self(header: header, make: make)
  }
}
