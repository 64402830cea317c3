public import FaradayCore

/// An operation of a REST API: method, path, and the types of its input and output.
///
///     let createUser = Endpoint<User, User>(.post, "/users", encoding: .json)
///     let user = Endpoint<Nothing, User?>(.get, "/users/{id}", encoding: .query)
///     let portrait = Endpoint<FormFile, Nothing>(.put, "/users/{id}/portrait", encoding: .file)
///
/// The output is decoded from JSON; an optional is nil exactly when the body is empty, and ``Nothing`` ignores the body.
public struct Endpoint<Input: Encodable & Sendable, Output: Decodable & Sendable>: Sendable {
  /// The method.
  public var method: HTTPRequest.Method
  /// The path with its variables, appended to the base URL: a ``FaradayCore/PathTemplate``, which may have a query.
  public var path: String
  /// How and where the input is encoded.
  public var encoding: RequestEncoding

  /// An operation with its method, its path, and the encoding of its input.
  public init(_ method: HTTPRequest.Method, _ path: String, encoding: RequestEncoding) {
    self.method = method
    self.path = path
    self.encoding = encoding
  }
}

/// How the input of a request is encoded, and where.
public enum RequestEncoding: Sendable, Hashable {
  /// As JSON in the body; ``Nothing`` is `{}`.
  case json
  /// In the query of the URL, appended to its items; there is no body.
  case query
  /// As `application/x-www-form-urlencoded` in the body.
  case formURLEncoded
  /// As `multipart/form-data` in the body: each ``FaradayCoding/FormFile`` in the input is a file, streamed when it is sent.
  case multipartFormData
  /// The input is a ``FaradayCoding/FormFile``, and the body is the file itself, streamed when it is sent.
  case file
}

/// No input, or no output.
public struct Nothing: Codable, Sendable, Hashable {
  /// Nothing.
  public init() {}
}
