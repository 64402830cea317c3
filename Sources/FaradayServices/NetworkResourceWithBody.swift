public import FaradayCoding
public import FaradayCore
public import FaradayRequests

/// A resource whose method has a body: has the modifiers of ``NetworkResource``, and those for the body. The last one wins,
/// except for the parts of a multipart form, which accumulate.
///
/// The `Content-Type` is that of the body unless the resource has one. A body that cannot be encoded throws
/// ``FaradayCoding/UnencodableBody`` when the resource is loaded.
public struct NetworkResourceWithBody: ServiceResource {
  /// The resource without the modifiers for bodies.
  public var networkResource: NetworkResource
  private var form: MultipartForm?

  init(_ resource: NetworkResource) { networkResource = resource }

  /// Sets a body of any kind: a file, a stream, text, or what a provider of your own encodes.
  public func sending(_ body: BodyProvider) -> Self { sending(body, form: nil) }

  /// Sets these bytes as the body. Without a type it is sniffed: JPEG, PNG, GIF, TIFF, PDF, legacy Office documents;
  /// `text/plain` if they are UTF-8 or UTF-16 text; and `application/octet-stream` for all else.
  public func data(_ data: Data, type: MediaType? = nil) -> Self {
    sending(.data(data, contentType: type ?? MediaType(sniffing: data)))
  }

  /// Sets a URL-encoded form (`application/x-www-form-urlencoded`) with a field for each member.
  public func fields(_ members: JSONObject, strategies: FormStrategies = .services) -> Self {
    fields(JSONValue.object(members), strategies: strategies)
  }

  /// Sets a URL-encoded form (`application/x-www-form-urlencoded`) with the members of a value.
  public func fields(_ value: some Encodable & Sendable, strategies: FormStrategies = .services) -> Self {
    sending(.form(value, using: QueryEncoder(strategies)))
  }

  /// Sets a value encoded as JSON.
  public func json(_ value: some Encodable & Sendable, using encoder: JSONEncoder = .sortingKeys) -> Self {
    sending(.json(value, using: encoder))
  }

  /// Sets untyped JSON: `.json(["name": "Ada", "age": 36])`.
  public func json(_ value: JSONValue) -> Self { sending(.json(value)) }

  /// Sets bytes that are JSON already; they are not validated.
  public func json(data: Data) -> Self { self.data(data, type: .json) }

  /// Sets a JSON array: `.jsonArray(["Ada", 36])`.
  public func jsonArray(_ elements: [JSONValue]) -> Self { json(.array(elements)) }

  /// Appends a part with these bytes to the multipart form; with a filename it is a file to the server. The form replaces any
  /// other body.
  public func multipart(
    _ data: Data, name: String, filename: String? = nil, type: MediaType? = .binary
  ) -> Self {
    adding { $0.add(name, data: data, filename: filename, type: type) }
  }

  /// Appends a text field to the multipart form.
  public func multipart(_ text: String, name: String) -> Self { adding { $0.add(name, text) } }

  /// Appends a file to the multipart form, streamed when it is sent. Filename and type are derived from the path unless given.
  /// A file that cannot be read throws ``FaradayCoding/UnencodableBody`` when the resource is loaded.
  public func multipart(file path: String, name: String, filename: String? = nil, type: MediaType? = nil) -> Self {
    adding { try $0.addFile(name, path, filename: filename, type: type) }
  }

  private func adding(_ add: (inout MultipartForm) throws -> Void) -> Self {
    var form = form ?? MultipartForm()
    do { try add(&form) } catch { return failing(with: error) }
    return sending(.multipart(form), form: form)
  }

  private func sending(_ body: BodyProvider, form: MultipartForm?) -> Self {
    var copy = changed { $0.wanted.bodyProvider = body }
    copy.form = form
    return copy
  }
}
