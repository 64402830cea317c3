public import FaradayCoding
public import FaradayCore

/// A resource whose method has a body: has the modifiers of ``NetworkResource``, and modifiers for the body. The last body
/// wins, except for the parts of a multipart form, which accumulate.
///
/// The `Content-Type` comes from the body unless the resource has one. A body that cannot be encoded throws
/// ``FaradayCoding/BodyEncodingError`` when the resource is loaded.
public struct NetworkResourceWithBody: ServiceResource {
  /// The resource without the modifiers for bodies.
  public var networkResource: NetworkResource
  private var form: MultipartForm?

  init(_ resource: NetworkResource) { networkResource = resource }

  /// Sets a body of any kind: a file, a stream, text, or the output of a custom provider.
  public func sending(_ body: BodyProvider) -> Self { sending(body, form: nil) }

  /// Sets these bytes as the body. Without a type it is sniffed: JPEG, PNG, GIF, TIFF, PDF, legacy Office documents;
  /// `text/plain` if they are UTF-8 or UTF-16 text; and `application/octet-stream` otherwise.
  public func data(_ data: Data, type: MediaType? = nil) -> Self {
    sending(.data(data, contentType: type ?? MediaType(sniffing: data)))
  }

  /// Sets a URL-encoded form (`application/x-www-form-urlencoded`) with a field for each member.
  public func fields(_ members: JSONObject, strategies: FormStrategies = .services) -> Self {
    fields(JSONValue.object(members), strategies: strategies)
  }

  /// Sets a URL-encoded form (`application/x-www-form-urlencoded`) with the members of a value.
  // Disfavored: a literal has members in order. A Swift dictionary traps if a name is repeated.
  @_disfavoredOverload
  public func fields(_ value: some Encodable & Sendable, strategies: FormStrategies = .services) -> Self {
    sending(.form(value, using: QueryEncoder(strategies)))
  }

  /// Sets a value encoded as JSON.
  @_disfavoredOverload
  public func json(_ value: some Encodable & Sendable, using encoder: JSONEncoder? = nil) -> Self {
    sending(.json(value, using: encoder))
  }

  /// Sets untyped JSON: `.json(["name": "Ada", "age": 36])`, `.json(["Ada", 36])`.
  public func json(_ value: JSONValue) -> Self { sending(.json(value)) }

  /// Sets bytes of existing JSON; they are not validated.
  public func json(data: Data) -> Self { self.data(data, type: .json) }

  /// Appends a part with these bytes to the multipart form; with a filename the server sees a file. The form replaces any other
  /// body.
  public func multipart(
    _ data: Data, name: String, filename: String? = nil, type: MediaType? = .binary
  ) -> Self {
    adding { $0.append(name: name, data: data, filename: filename, type: type) }
  }

  /// Appends a text field to the multipart form.
  public func multipart(_ text: String, name: String) -> Self { adding { $0.append(name: name, value: text) } }

  /// Appends a file to the multipart form, streamed when it is sent. Filename and type are derived from the path unless given.
  /// A file that cannot be read throws ``FaradayCoding/BodyEncodingError`` when the resource is loaded.
  public func multipart(file: some FileReference, name: String, filename: String? = nil, type: MediaType? = nil) -> Self {
    adding { try $0.append(name: name, file: file, filename: filename, type: type) }
  }

  private func adding(_ add: (inout MultipartForm) throws -> Void) -> Self {
    var form = form ?? MultipartForm()
    do { try add(&form) } catch { return changed { $0.fail(error, encoding: form, as: .body) } }
    return sending(.multipart(form), form: form)
  }

  private func sending(_ body: BodyProvider, form: MultipartForm?) -> Self {
    var copy = changed { $0.wanted.bodyProvider = body }
    copy.form = form
    return copy
  }
}
