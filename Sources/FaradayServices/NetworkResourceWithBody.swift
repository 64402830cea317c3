public import FaradayCoding
public import FaradayCore
public import FaradayRequests

/// A resource whose method has a body: what ``NetworkResource`` can, and the modifiers for the body. The last one counts, but
/// for the parts of a form, of which there may be many.
///
/// A body has its `Content-Type` unless the resource has one. One that cannot be encoded makes the loading throw
/// ``FaradayCoding/UnencodableBody``.
public struct NetworkResourceWithBody: ServiceResource {
  public var networkResource: NetworkResource
  private var form: MultipartForm?

  init(_ resource: NetworkResource) { networkResource = resource }

  /// With a body of any kind: a file, a sequence, text, or what a provider of your own makes.
  public func sending(_ body: BodyProvider) -> Self { sending(body, form: nil) }

  /// With these bytes. Without a type it is told from their beginning: JPEG, PNG, GIF, TIFF, PDF, the Office documents of old,
  /// and `application/octet-stream` for all else.
  public func data(_ data: Data, type: MediaType? = nil) -> Self {
    sending(.data(data, contentType: type ?? MediaType(sniffing: data)))
  }

  /// With fields as `application/x-www-form-urlencoded`, one for each member.
  public func fields(_ members: JSONObject, strategies: FormStrategies = .services) -> Self {
    fields(JSONValue.object(members), strategies: strategies)
  }

  /// With the members of a value as `application/x-www-form-urlencoded`.
  public func fields(_ value: some Encodable & Sendable, strategies: FormStrategies = .services) -> Self {
    sending(.form(value, using: QueryEncoder(strategies)))
  }

  /// With a value as JSON.
  public func json(_ value: some Encodable & Sendable, using encoder: JSONEncoder = .sortingKeys) -> Self {
    sending(.json(value, using: encoder))
  }

  /// With JSON without a type of its own: `.json(["name": "Ada", "age": 36])`.
  public func json(_ value: JSONValue) -> Self { sending(.json(value)) }

  /// With bytes that are JSON already; nobody looks at them.
  public func json(data: Data) -> Self { self.data(data, type: .json) }

  /// With a list as JSON: `.jsonArray(["Ada", 36])`.
  public func jsonArray(_ elements: [JSONValue]) -> Self { json(.array(elements)) }

  /// With one more part of a form, behind the others; with a filename it is a file to the server. The form takes the place of any
  /// other body.
  public func multipart(
    _ data: Data, name: String, filename: String? = nil, type: MediaType? = .binary
  ) -> Self {
    adding { $0.add(name, data: data, filename: filename, type: type) }
  }

  /// With one more field of a form.
  public func multipart(_ text: String, name: String) -> Self { adding { $0.add(name, text) } }

  /// With one more file of a form, read as it is sent. Its name and type are those of the path unless given. One that cannot be
  /// read makes the loading throw ``FaradayCoding/UnencodableBody``.
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
