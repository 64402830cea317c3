public import FaradayCore

/// Gives every request an identifier, by which it is found in the logs of both sides.
///
///     connection.use(.requestID)
///     connection.use(.retry)
///
/// A request that has the field keeps it, and one that has ``FaradayCore/Options/requestID`` is sent with that. Above
/// ``Retry`` it is the same for all attempts, below it each has one of its own. What the server answers under that name
/// stays in the response's fields. An identifier with a line break in it throws ``FaradayCore/InvalidHeader``.
public struct RequestID: Middleware {
  private let header: String
  private let make: @Sendable () -> String

  /// - Parameters:
  ///   - header: the name of the field.
  ///   - make: makes a fresh identifier; a UUID if nil.
  public init(header: String = "X-Request-ID", make: (@Sendable () -> String)? = nil) {
    self.header = header
    self.make = make ?? { UUID().uuidString }
  }

  public func handle(_ request: Request, next: Next) async throws -> Response {
    var request = request
    let own = HTTPField.Name(header).flatMap { request.headers[$0] }
    let id = own ?? request.options.requestID ?? make()
    if own == nil { try request.headers.set(header, id) }
    request.options.requestID = id
    var response = try await next(request)
    response.requestID = id
    return response
  }
}

extension Options {
  /// What the request is known by; nil if a ``RequestID`` has not seen it yet. Setting it decides what will be sent.
  public var requestID: String? {
    get { self[Key.self] }
    set { self[Key.self] = newValue }
  }

  private enum Key: OptionKey { static let defaultValue: String? = nil }
}

extension Response {
  /// What its request was known by; nil if no ``RequestID`` has seen it.
  public internal(set) var requestID: String? {
    get { self[Key.self] }
    set { self[Key.self] = newValue }
  }

  private enum Key: ResponseKey { typealias Value = String }
}

extension Middleware where Self == RequestID {
  /// Gives every request a UUID in `X-Request-ID`.
  public static var requestID: Self { Self() }

  /// Gives every request an identifier.
  public static func requestID(header: String, make: (@Sendable () -> String)? = nil) -> Self {
    Self(header: header, make: make)
  }
}
