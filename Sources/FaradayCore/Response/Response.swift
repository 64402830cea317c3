/// An HTTP response: status, header fields, body, trailers and metrics. A value that is cheap to copy.
public struct Response: Sendable {
  private var fields: CopyOnWrite<Fields>

  /// A response, made by an adapter or a middleware.
  ///
  /// - Parameter stream: the stream of its body, if it has one: it provides trailers and metrics when it has ended.
  public init(
    status: HTTPResponse.Status, headers: HTTPFields = [:], body: Body = .empty, trailers: HTTPFields = [:], url: URL,
    version: HTTPVersion = .http1_1, metrics: TransferMetrics = TransferMetrics(), stream: ResponseStream? = nil
  ) {
    fields = CopyOnWrite(
      Fields(
        status: status, headers: headers, body: body, url: url, version: version, trailers: trailers, metrics: metrics,
        stream: stream))
  }

  /// The status. An adapter returns any status: a 404 is a response, not an error, unless a middleware such as `ExpectStatus`
  /// throws.
  public var status: HTTPResponse.Status {
    get { fields.value.status }
    set { fields.unique.value.status = newValue }
  }
  /// The header fields, in order, repeated ones kept.
  public var headers: HTTPFields {
    get { fields.value.headers }
    _modify { yield &fields.unique.value.headers }
  }
  /// The body: complete if buffered, readable once if streamed.
  public var body: Body {
    get { fields.value.body }
    _modify { yield &fields.unique.value.body }
  }
  /// The URL that was requested, after redirects if a middleware followed any.
  public var url: URL {
    get { fields.value.url }
    set { fields.unique.value.url = newValue }
  }
  /// The HTTP version that it was received over.
  public var version: HTTPVersion {
    get { fields.value.version }
    set { fields.unique.value.version = newValue }
  }

  /// The connection that it was received over; nil if there was none.
  var context: ConnectionContext? {
    get { fields.value.context }
    set { fields.unique.value.context = newValue }
  }

  /// The method of the request that it answers, after redirects; nil if it has passed no stack.
  package var requestMethod: HTTPRequest.Method? {
    get { fields.value.requestMethod }
    set { fields.unique.value.requestMethod = newValue }
  }

  /// The status and header fields as one value of swift-http-types.
  public var head: HTTPResponse { HTTPResponse(status: status, headerFields: headers) }

  /// The trailer fields. Of a streamed response they are available when its body has ended.
  public var trailers: HTTPFields { fields.value.stream?.ending?.trailers ?? fields.value.trailers }

  /// Timings and byte counts. Of a streamed response they are complete when its body has ended.
  public var metrics: TransferMetrics { fields.value.stream?.ending?.metrics ?? fields.value.metrics }

  /// A value that a middleware has attached to the response, such as its parsed JSON; nil if there is none for the key.
  public subscript<Key: ResponseKey>(key: Key.Type) -> Key.Value? {
    get {
      // Looked up first: casting a missing value to an optional type would succeed.
      guard let stored = fields.value.values[ObjectIdentifier(key)] else { return nil }
      return stored as? Key.Value
    }
    set { fields.unique.value.values[ObjectIdentifier(key)] = newValue }
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
    var requestMethod: HTTPRequest.Method?
    var values: [ObjectIdentifier: any Sendable] = [:]
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
