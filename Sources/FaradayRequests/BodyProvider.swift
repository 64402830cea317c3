public import FaradayCoding
public import FaradayCore

/// Makes a request's body, and sets the header fields that go with it.
///
///     extension BodyProvider {
///       static func csv(_ rows: [[String]]) -> BodyProvider {
///         BodyProvider { headers in
///           headers.contentType(unlessSet: MediaType("text", "csv"))
///           return .text(rows.map { $0.joined(separator: ",") }.joined(separator: "\r\n"))
///         }
///       }
///     }
///
/// Those that are here leave a `Content-Type` that the request has; only the form with files replaces it, as the boundary in it
/// has to be the body's.
public struct BodyProvider: Sendable {
  private let encode: @Sendable (inout HTTPFields) throws -> Body

  /// - Parameter encode: gives the body. It should touch the fields only when nothing can go wrong any more.
  public init(_ encode: @escaping @Sendable (_ headers: inout HTTPFields) throws -> Body) { self.encode = encode }

  /// The body; the fields are changed only if there is one.
  public func body(updating headers: inout HTTPFields) throws -> Body {
    var changed = headers
    let body = try encode(&changed)
    headers = changed
    return body
  }
}

extension BodyProvider {
  /// No body. A `Content-Type` that somebody set stays.
  public static let none = BodyProvider { _ in .empty }

  /// A body of any kind: a file, a sequence, or a value that a middleware will encode.
  public static func body(_ body: Body, contentType: MediaType? = nil) -> BodyProvider {
    BodyProvider { headers in
      if let contentType { headers.contentType(unlessSet: contentType) }
      return body
    }
  }

  /// These bytes.
  public static func data(_ data: Data, contentType: MediaType = .binary) -> BodyProvider {
    body(.data(data), contentType: contentType)
  }

  /// The file, read as it is sent. Its type is that of the path's extension unless given. One that cannot be read is an
  /// ``FaradayCoding/UnencodableBody`` when the request is made.
  public static func file(_ path: String, contentType: MediaType? = nil) -> BodyProvider {
    BodyProvider { headers in
      let file: Body
      do { file = try Body.file(path) } catch { throw UnencodableValue(value: FormFile(path), underlying: error) }
      headers.contentType(unlessSet: contentType ?? MediaType(extensionOf: path))
      return file
    }
  }

  /// The text in UTF-8.
  public static func text(_ text: String, contentType: MediaType = .text) -> BodyProvider {
    body(.text(text), contentType: contentType)
  }

  /// The value as JSON. A ``FaradayCoding/JSONValue`` is written as it is: of the encoder only the formatting counts.
  public static func json(_ value: some Encodable & Sendable, using encoder: JSONEncoder = .sortingKeys) -> BodyProvider {
    encoding(value, as: .json) { .data(try encoder.data(of: $0)) }
  }

  /// The value as `application/x-www-form-urlencoded`.
  public static func form(_ value: some Encodable & Sendable, using encoder: QueryEncoder = QueryEncoder()) -> BodyProvider {
    encoding(value, as: .form) { .text(try encoder.encode($0).description) }
  }

  /// The items as `application/x-www-form-urlencoded`.
  public static func form(_ items: QueryParameters) -> BodyProvider { text(items.description, contentType: .form) }

  /// A form with files.
  public static func multipart(_ form: MultipartForm) -> BodyProvider {
    BodyProvider { headers in
      headers[.contentType] = form.contentType.description
      return form.body
    }
  }

  /// The value as a form with files: a ``FaradayCoding/FormFile`` in it is one.
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
      headers.contentType(unlessSet: type)
      return body
    }
  }
}

extension HTTPFields {
  /// Sets the `Content-Type` of a request that has none.
  public mutating func contentType(unlessSet type: MediaType) {
    if self[.contentType] == nil { self[.contentType] = type.description }
  }
}

/// What a provider could not encode; the request gives it its name.
package struct UnencodableValue: Error {
  package let value: any Sendable
  package let underlying: any Error
}
