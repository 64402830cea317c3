public import FaradayCore

/// An operation of a REST API: method, path, and the types of its input and output.
///
///     let createUser = Endpoint<User, User>(.post, "/users")
///     let user = Endpoint<Void, User?>(.get, "/users/{id}")
///     let portrait = Endpoint<FormFile, Void>(.put, "/users/{id}/portrait", encoding: .file)
///
/// The output is decoded from JSON. An optional is nil if and only if the body is empty. An output of `Void` ignores the body,
/// and an input of `Void` has no content.
public struct Endpoint<Input: Sendable, Output: Sendable>: Sendable {
  /// The method.
  public var method: HTTPRequest.Method
  /// The path with its variables, appended to the base URL: a ``FaradayCore/PathTemplate``, which may have a query.
  public var path: String
  /// The encoding of the input, and its place in the request.
  public var encoding: RequestEncoding
  /// Returns the value to encode for an input.
  let encodable: @Sendable (Input) -> any Encodable & Sendable
  /// Returns the decoder of the output.
  let responseDecoder: @Sendable (JSONDecoder?) -> ResponseDecoder<Output>

  private init(
    _ method: HTTPRequest.Method, _ path: String, _ encoding: RequestEncoding,
    encodable: @escaping @Sendable (Input) -> any Encodable & Sendable,
    responseDecoder: @escaping @Sendable (JSONDecoder?) -> ResponseDecoder<Output>
  ) {
    self.method = method
    self.path = path
    self.encoding = encoding
    self.encodable = encodable
    self.responseDecoder = responseDecoder
  }
}

extension Endpoint where Input: Encodable, Output: Decodable {
  /// Creates an operation with its method, its path, and the encoding of its input: by default ``RequestEncoding/query`` for
  /// GET, HEAD and DELETE, and ``RequestEncoding/json`` for other methods.
  public init(_ method: HTTPRequest.Method, _ path: String, encoding: RequestEncoding? = nil) {
    self.init(method, path, encoding ?? .standard(for: method), encodable: { $0 }, responseDecoder: { .json(using: $0) })
  }
}

extension Endpoint where Input: Encodable, Output == Void {
  /// Creates an operation that ignores the response's body. By default its input is encoded as ``RequestEncoding/query`` for
  /// GET, HEAD and DELETE, and as ``RequestEncoding/json`` for other methods.
  public init(_ method: HTTPRequest.Method, _ path: String, encoding: RequestEncoding? = nil) {
    self.init(method, path, encoding ?? .standard(for: method), encodable: { $0 }, responseDecoder: { _ in .none })
  }
}

extension Endpoint where Input == Void, Output: Decodable {
  /// Creates an operation without an input. By default its requests have no body.
  public init(_ method: HTTPRequest.Method, _ path: String, encoding: RequestEncoding = .query) {
    self.init(method, path, encoding, encodable: { NoInput() }, responseDecoder: { .json(using: $0) })
  }
}

extension Endpoint where Input == Void, Output == Void {
  /// Creates an operation without an input, that ignores the response's body. By default its requests have no body.
  public init(_ method: HTTPRequest.Method, _ path: String, encoding: RequestEncoding = .query) {
    self.init(method, path, encoding, encodable: { NoInput() }, responseDecoder: { _ in .none })
  }
}

/// The encodable form of a missing input: an empty object.
private struct NoInput: Encodable, Sendable {}

/// The encoding of a request's input, and its place in the request.
public enum RequestEncoding: Sendable, Hashable {
  /// JSON in the body; `Void` is `{}`.
  case json
  /// Query items of the URL, after its existing items; there is no body.
  case query
  /// `application/x-www-form-urlencoded` in the body.
  case formURLEncoded
  /// `multipart/form-data` in the body: each ``FaradayCoding/FormFile`` in the input is a file, streamed when it is sent.
  case multipartFormData
  /// The input is a ``FaradayCoding/FormFile``, and the body is the file itself, streamed when it is sent.
  case file

  fileprivate static func standard(for method: HTTPRequest.Method) -> RequestEncoding {
    method == .get || method == .head || method == .delete ? .query : .json
  }
}
