public import FaradayCore

/// Converts a ``RestingRequest`` to the HTTP request that is sent. A custom converter can change the result of the default one:
///
///     struct Signing: RequestConverter {
///       let usual = RestingRequestConverter()
///       func request<Input, Output>(
///         for typed: RestingRequest<Input, Output>, on connection: Connection
///       ) throws -> Request {
///         var request = try usual.request(for: typed, on: connection)
///         try request.headers.set(name: "X-Signature", value: signature(of: request.url))
///         return request
///       }
///     }
public protocol RequestConverter: Sendable {
  /// Returns the HTTP request, for a call or an upload. Files are streamed when they are sent. The call throws its errors
  /// before any interceptor is called, and nothing is sent.
  ///
  /// - Parameter connection: the client's connection. Its
  ///   `Connection.request` appends the path to the base URL, and adds
  ///   the connection's headers and options.
  func request<Input, Output>(for typed: RestingRequest<Input, Output>, on connection: Connection) throws -> Request
}
