public import FaradayCoding
public import FaradayCore

/// Encodes the body of a typed request, and sets the header fields of the body.
///
///     extension BodyProvider {
///       static func csv(_ rows: [[String]]) -> BodyProvider {
///         BodyProvider { headers in
///           headers.setContentType(ifMissing: MediaType("text", "csv"))
///           return .text(rows.map { $0.joined(separator: ",") }.joined(separator: "\r\n"))
///         }
///       }
///     }
///
/// The built-in providers keep the request's `Content-Type`. Only multipart forms replace it, because its boundary must match
/// the body.
public struct BodyProvider: Sendable {
  private let encode: @Sendable (inout HTTPFields, JSONEncoder?) throws -> Body

  /// - Parameter encode: returns the body, and can change the header fields. The changes are discarded if it throws.
  public init(_ encode: @escaping @Sendable (_ headers: inout HTTPFields) throws -> Body) {
    self.encode = { headers, _ in try encode(&headers) }
  }

  private init(json value: some Encodable & Sendable, _ encoder: JSONEncoder?) {
    encode = { try .json(value, encoder: encoder ?? $1 ?? .sortingKeys) }
  }

  /// Encodes the body, and sets its `Content-Type` if there is none. The header fields are changed only if encoding succeeds.
  public func body(updating headers: inout HTTPFields) throws -> Body {
    try body(updating: &headers, jsonEncoder: nil)
  }

  /// - Parameter jsonEncoder: the encoder of JSON bodies without an encoder of their own.
  fileprivate func body(updating headers: inout HTTPFields, jsonEncoder: JSONEncoder?) throws -> Body {
    var changed = headers
    let body = try encode(&changed, jsonEncoder)
    if let type = body.contentType, changed[.contentType] == nil { changed[.contentType] = type }
    headers = changed
    return body
  }
}

extension BodyProvider {
  /// No body. An existing `Content-Type` is kept.
  public static let none = BodyProvider { _ in .empty }

  /// A body of any kind: a file, a stream, or a value that a middleware encodes.
  public static func body(_ body: Body, contentType: MediaType? = nil) -> BodyProvider {
    BodyProvider { headers in
      if let contentType { headers.setContentType(ifMissing: contentType) }
      return body
    }
  }

  /// Bytes, `application/octet-stream` by default.
  public static func data(_ data: Data, contentType: MediaType = .binary) -> BodyProvider {
    body(.data(data, contentType: contentType))
  }

  /// A file that is streamed when it is sent. The `Content-Type` is derived from the path's extension by default. A file that
  /// cannot be read throws ``FaradayCoding/BodyEncodingError`` when the request is built.
  public static func file(_ file: some FileReference, contentType: MediaType? = nil) -> BodyProvider {
    let path = file.filePath
    return BodyProvider { headers in
      let file = try encoding(FormFile(path)) { try Body.file($0.path) }.body(updating: &headers)
      headers.setContentType(ifMissing: contentType ?? MediaType(extensionOf: path))
      return file
    }
  }

  /// Text in UTF-8, `text/plain` by default.
  public static func text(_ text: String, contentType: MediaType = .text) -> BodyProvider {
    data(Data(text.utf8), contentType: contentType)
  }

  /// A value encoded as JSON. A ``FaradayCoding/JSONValue`` has its own writer, which uses only the `outputFormatting` of the
  /// encoder.
  ///
  /// - Parameter encoder: nil means the ``FaradayCore/Options/jsonEncoder`` of the request, which sorts members by name by
  ///   default.
  // Disfavored: a literal is untyped JSON. A Swift dictionary traps if a name is repeated.
  @_disfavoredOverload
  public static func json(_ value: some Encodable & Sendable, using encoder: JSONEncoder? = nil) -> BodyProvider {
    BodyProvider(json: value, encoder)
  }

  /// Untyped JSON: `.json(["name": name, "age": age])`. Members are sorted by name by default; only the `outputFormatting` of
  /// the encoder applies.
  public static func json(_ value: JSONValue, using encoder: JSONEncoder? = nil) -> BodyProvider {
    BodyProvider(json: value, encoder)
  }

  /// A value encoded as `application/x-www-form-urlencoded`.
  @_disfavoredOverload
  public static func form(_ value: some Encodable & Sendable, using encoder: QueryEncoder = QueryEncoder()) -> BodyProvider {
    encoding(value) { .form(try encoder.encode($0)) }
  }

  /// Items as `application/x-www-form-urlencoded`.
  public static func form(_ items: QueryParameters) -> BodyProvider { body(.form(items)) }

  /// A multipart form, whose fields can be files.
  public static func multipart(_ form: MultipartForm) -> BodyProvider {
    BodyProvider { headers in
      headers[.contentType] = form.contentType.description
      return form.body
    }
  }

  /// A value encoded as a multipart form: each ``FaradayCoding/FormFile`` in it is a file.
  public static func multipart(
    _ value: some Encodable & Sendable, using encoder: MultipartFormEncoder = MultipartFormEncoder()
  ) -> BodyProvider {
    BodyProvider { headers in
      let form: MultipartForm
      do { form = try encoder.encode(value) } catch { throw BodyEncodingError(error, encoding: value, of: nil) }
      return try multipart(form).body(updating: &headers)
    }
  }

  /// A value that the closure encodes. Errors of the closure are wrapped in ``FaradayCoding/BodyEncodingError``.
  package static func encoding<Value: Sendable>(
    _ value: Value, _ encode: @escaping @Sendable (Value) throws -> Body
  ) -> BodyProvider {
    BodyProvider { _ in
      do { return try encode(value) } catch { throw BodyEncodingError(error, encoding: value, of: nil) }
    }
  }
}

extension Request {
  /// Sets the body and its header fields. A value that cannot be encoded throws
  /// ``FaradayCoding/BodyEncodingError`` with this request.
  mutating func setBody(_ provider: BodyProvider) throws {
    do {
      body = try provider.body(updating: &headers, jsonEncoder: options.jsonEncoder)
    } catch let error as BodyEncodingError {
      throw error.naming(self)
    }
  }
}

extension HTTPFields {
  /// Sets the `Content-Type` if there is none.
  public mutating func setContentType(ifMissing type: MediaType) {
    if self[.contentType] == nil { self[.contentType] = type.description }
  }
}
