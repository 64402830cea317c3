public import FaradayCore

/// Where a kind of request goes, and what is sent and what comes back:
///
///     let createUser = Endpoint<User, User>(.post, "/users", encoding: .json)
///     let user = Endpoint<Nothing, User?>(.get, "/users/{id}", encoding: .query)
///     let portrait = Endpoint<FormFile, Nothing>(.put, "/users/{id}/portrait", encoding: .file)
///
/// An output is read from JSON; an optional one is nil exactly when the body has no bytes, and ``Nothing`` looks at no body.
public struct Endpoint<Input: Encodable & Sendable, Output: Decodable & Sendable>: Sendable {
  public var method: HTTPRequest.Method
  /// What is put behind the base URL, whose path is kept: a ``FaradayCore/PathTemplate``, with a query if it has one.
  public var path: String
  /// Where the input goes.
  public var encoding: RequestEncoding

  public init(_ method: HTTPRequest.Method, _ path: String, encoding: RequestEncoding) {
    self.method = method
    self.path = path
    self.encoding = encoding
  }
}

/// Where the input of a request goes.
public enum RequestEncoding: Sendable, Hashable {
  /// The body, as JSON; ``Nothing`` is `{}`.
  case json
  /// The URL's query, behind the items that are there already; there is no body.
  case query
  /// The body, as `application/x-www-form-urlencoded`.
  case formURLEncoded
  /// The body, as `multipart/form-data`: a ``FaradayCoding/FormFile`` anywhere in the input is a file, read as it is sent.
  case multipartFormData
  /// The body is the file itself, read as it is sent; the input is a ``FaradayCoding/FormFile``.
  case file
}

/// No input, or no output.
public struct Nothing: Codable, Sendable, Hashable {
  public init() {}
}
