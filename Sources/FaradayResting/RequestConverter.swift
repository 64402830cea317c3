public import FaradayCore

/// Converts a ``RestingRequest`` to the HTTP request that is sent. A converter of your own can change what the default one
/// makes:
///
///     struct Signing: RequestConverter {
///       let usual = RestingRequestConverter()
///       func request<Input, Output>(
///         for typed: RestingRequest<Input, Output>, on connection: Connection
///       ) throws -> Request {
///         var request = try usual.request(for: typed, on: connection)
///         try request.headers.set("X-Signature", signature(of: request.url))
///         return request
///       }
///     }
public protocol RequestConverter: Sendable {
  /// The HTTP request, for a call or an upload: bodies that are files are streamed when they are sent. An error is thrown by
  /// the call; no interceptor has been called then, and nothing is sent.
  ///
  /// - Parameter connection: the client's connection. Its
  ///   `Connection.request` appends the path to the base URL, and adds
  ///   the connection's headers and options.
  func request<Input, Output>(for typed: RestingRequest<Input, Output>, on connection: Connection) throws -> Request
}
