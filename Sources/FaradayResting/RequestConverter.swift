public import FaradayCore

/// Makes what is sent out of a ``RestingRequest``. One of your own may change what the usual one makes:
///
///     struct Signing: RequestConverter {
///       let usual = RestingRequestConverter()
///       func request<Input, Output>(
///         for wanted: RestingRequest<Input, Output>, on connection: Connection
///       ) throws -> Request {
///         var request = try usual.request(for: wanted, on: connection)
///         try request.headers.set("X-Signature", signature(of: request.url))
///         return request
///       }
///     }
public protocol RequestConverter: Sendable {
  /// The request, for a call and for an upload alike: bodies that are files are read as they are sent. What it throws, the call
  /// throws; no interceptor has been called then, and nothing is sent.
  ///
  /// - Parameter connection: the client's, whose ``FaradayCore/Connection/request(_:_:body:edit:)`` puts a path behind the base
  ///   URL and adds the connection's headers and options.
  func request<Input, Output>(for wanted: RestingRequest<Input, Output>, on connection: Connection) throws -> Request
}
