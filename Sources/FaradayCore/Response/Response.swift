/// An HTTP response: status, header fields, body, trailers and metrics. A value that is cheap to copy.
public struct Response: Sendable {
  // One reference, as Options is one: each `await` of each middleware keeps copies of it in its frame, and of those there are many
  // while a thousand requests wait.
  private var storage: Storage

  /// A response, made by an adapter or a middleware.
  ///
  /// - Parameter stream: the stream of its body, if it has one: it provides trailers and metrics when it has ended.
  public init(
    status: HTTPResponse.Status, headers: HTTPFields = [:], body: Body = .empty, trailers: HTTPFields = [:], url: URL,
    version: HTTPVersion = .http1_1, metrics: TransferMetrics = TransferMetrics(), stream: ResponseStream? = nil
  ) {
    storage = Storage(
      Fields(
        status: status, headers: headers, body: body, url: url, version: version, trailers: trailers, metrics: metrics,
        stream: stream))
  }

  /// The status. An adapter returns any status: a 404 is a response, not an error, unless a middleware such as `ExpectStatus`
  /// throws.
  public var status: HTTPResponse.Status {
    get { storage.fields.status }
    set { mutable.fields.status = newValue }
  }
  /// The header fields, in order, repeated ones kept.
  public var headers: HTTPFields {
    get { storage.fields.headers }
    _modify { yield &mutable.fields.headers }
  }
  /// The body: complete if buffered, readable once if streamed.
  public var body: Body {
    get { storage.fields.body }
    _modify { yield &mutable.fields.body }
  }
  /// The URL that was requested, after redirects if a middleware followed any.
  public var url: URL {
    get { storage.fields.url }
    set { mutable.fields.url = newValue }
  }
  /// The HTTP version that it was received over.
  public var version: HTTPVersion {
    get { storage.fields.version }
    set { mutable.fields.version = newValue }
  }

  /// The connection that it was received over; nil if there was none.
  var context: ConnectionContext? {
    get { storage.fields.context }
    set { mutable.fields.context = newValue }
  }

  /// The status and header fields as one value of swift-http-types.
  public var head: HTTPResponse { HTTPResponse(status: status, headerFields: headers) }

  /// The trailer fields. Of a streamed response they are available when its body has ended.
  public var trailers: HTTPFields { storage.fields.stream?.ending?.trailers ?? storage.fields.trailers }

  /// Timings and byte counts. Of a streamed response they are complete when its body has ended.
  public var metrics: TransferMetrics { storage.fields.stream?.ending?.metrics ?? storage.fields.metrics }

  /// A value that a middleware has attached to the response, such as its parsed JSON; nil if there is none for the key.
  public subscript<Key: ResponseKey>(key: Key.Type) -> Key.Value? {
    get {
      // Looked up first: casting a missing value to an optional type would succeed.
      guard let stored = storage.fields.values[ObjectIdentifier(key)] else { return nil }
      return stored as? Key.Value
    }
    set { mutable.fields.values[ObjectIdentifier(key)] = newValue }
  }
}

extension Response {
  private struct Fields {
    var status: HTTPResponse.Status
    var headers: HTTPFields
    var body: Body
    var url: URL
    var version: HTTPVersion
    let trailers: HTTPFields
    let metrics: TransferMetrics
    let stream: ResponseStream?
    var context: ConnectionContext?
    var values: [ObjectIdentifier: any Sendable] = [:]
  }

  // Safe to share: `fields` is written only through `mutable`, that is, while exactly one value refers to the object.
  private final class Storage: @unchecked Sendable {
    // Without a run-time check for exclusive access: a writer holds the only reference.
    @exclusivity(unchecked) var fields: Fields

    init(_ fields: Fields) { self.fields = fields }
  }

  /// The storage to write to, copied first if another value refers to it.
  private var mutable: Storage {
    mutating get {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.fields) }
      return storage
    }
  }
}

/// The key of a value that a middleware attaches to a response.
///
///     enum Checksum: ResponseKey { typealias Value = String }
///     response[Checksum.self] = "4d5e"
public protocol ResponseKey {
  /// The type of the value.
  associatedtype Value: Sendable
}
