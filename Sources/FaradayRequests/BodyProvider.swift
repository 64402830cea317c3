public import FaradayCoding
public import FaradayCore

/// Encodes the body of a typed request, and sets the header fields that go with it.
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
/// The built-in ones keep a `Content-Type` that the request has; only multipart forms replace it, as its boundary must match
/// the body.
public struct BodyProvider: Sendable {
  private let encode: @Sendable (inout HTTPFields) throws -> Body

  /// - Parameter encode: returns the body, and may change the header fields; changes are dropped if it throws.
  public init(_ encode: @escaping @Sendable (_ headers: inout HTTPFields) throws -> Body) { self.encode = encode }

  /// Encodes the body. The header fields are changed only if that succeeds.
  public func body(updating headers: inout HTTPFields) throws -> Body {
    var changed = headers
    let body = try encode(&changed)
    headers = changed
    return body
  }
}

extension BodyProvider {
  /// No body. A `Content-Type` that is set is kept.
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
    body(.data(data), contentType: contentType)
  }

  /// A file that is streamed when it is sent. The `Content-Type` is derived from the path's extension by default. A file that
  /// cannot be read throws ``FaradayCoding/UnencodableBody`` when the request is made.
  public static func file(_ path: String, contentType: MediaType? = nil) -> BodyProvider {
    BodyProvider { headers in
      let file: Body
      do { file = try Body.file(path) } catch { throw UnencodableValue(value: FormFile(path), underlying: error) }
      headers.setContentType(ifMissing: contentType ?? MediaType(extensionOf: path))
      return file
    }
  }

  /// Text in UTF-8, `text/plain` by default.
  public static func text(_ text: String, contentType: MediaType = .text) -> BodyProvider {
    body(.text(text), contentType: contentType)
  }

  /// A value encoded as JSON, members sorted by name by default. A ``FaradayCoding/JSONValue`` is written by its own writer: of
  /// the encoder only `outputFormatting` applies to it.
  public static func json(_ value: some Encodable & Sendable, using encoder: JSONEncoder = .sortingKeys) -> BodyProvider {
    encoding(value, as: .json) { .data(try encoder.data(of: $0)) }
  }

  /// Untyped JSON: `.json(["name": name, "age": age])`. Members are sorted by name by default; of the encoder only
  /// `outputFormatting` applies.
  public static func json(_ value: JSONValue, using encoder: JSONEncoder = .sortingKeys) -> BodyProvider {
    encoding(value, as: .json) { .data(try encoder.data(of: $0)) }
  }

  /// A value encoded as `application/x-www-form-urlencoded`.
  public static func form(_ value: some Encodable & Sendable, using encoder: QueryEncoder = QueryEncoder()) -> BodyProvider {
    encoding(value, as: .form) { .text(try encoder.encode($0).description) }
  }

  /// Items as `application/x-www-form-urlencoded`.
  public static func form(_ items: QueryParameters) -> BodyProvider { text(items.description, contentType: .form) }

  /// A multipart form, whose fields may be files.
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
      do { form = try encoder.encode(value) } catch { throw UnencodableValue(value: value, underlying: error) }
      return try multipart(form).body(updating: &headers)
    }
  }

  package static func encoding<Value: Sendable>(
    _ value: Value, as type: MediaType, _ encode: @escaping @Sendable (Value) throws -> Body
  ) -> BodyProvider {
    BodyProvider { headers in
      let body: Body
      do { body = try encode(value) } catch { throw UnencodableValue(value: value, underlying: error) }
      headers.setContentType(ifMissing: type)
      return body
    }
  }
}

extension HTTPFields {
  /// Sets the `Content-Type` if there is none.
  public mutating func setContentType(ifMissing type: MediaType) {
    if self[.contentType] == nil { self[.contentType] = type.description }
  }
}

/// A provider's encoding error, before it is known to which request it belongs.
package struct UnencodableValue: Error {
  package let value: any Sendable
  package let underlying: any Error
}
