/// An HTTP response: status, header fields, body, trailers and metrics. A copy-on-write value, cheap to copy.
public struct Response: Sendable {
  private var fields: CopyOnWrite<Fields>

  /// A response, made by an adapter or a middleware.
  public init(
    status: HTTPResponse.Status, headers: HTTPFields = [:], body: Body = .empty, trailers: HTTPFields = [:], url: URL,
    version: HTTPVersion = .http1_1, metrics: TransferMetrics = TransferMetrics()
  ) {
    self.init(
      status: status, headers: headers, body: body, trailers: trailers, url: url, version: version, metrics: metrics, stream: nil)
  }

  /// A response, made by an adapter whose body is the reading side of a `ResponseStream`.
  ///
  /// - Parameter stream: the stream of the body. It provides trailers and metrics when the body has ended.
  @_spi(Adapters) public init(
    status: HTTPResponse.Status, headers: HTTPFields = [:], body: Body = .empty, trailers: HTTPFields = [:], url: URL,
    version: HTTPVersion = .http1_1, metrics: TransferMetrics = TransferMetrics(), stream: ResponseStream?
  ) {
    fields = CopyOnWrite(
      Fields(
        status: status, headers: headers, body: body, url: url, version: version, trailers: trailers, metrics: metrics,
        stream: stream))
  }

  /// The status. An adapter returns any status: a 404 is a response, not an error, unless a middleware such as
  /// `StatusValidation` throws.
  public var status: HTTPResponse.Status {
    get { fields.value.status }
    set { fields.unique.value.status = newValue }
  }
  /// The header fields in order, including repeated fields.
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
  /// The HTTP version of the response.
  public var version: HTTPVersion {
    get { fields.value.version }
    set { fields.unique.value.version = newValue }
  }

  /// The context of the connection that received the response; nil without a connection.
  var context: ConnectionContext? {
    get { fields.value.context }
    set { fields.unique.value.context = newValue }
  }

  /// The facts about the response's request, after redirects; nil if the response has passed no stack.
  var facts: RequestFacts? {
    get { fields.value.facts }
    set { fields.unique.value.facts = newValue }
  }

  /// The method of the response's request, after redirects; nil if the response has passed no stack.
  package var requestMethod: HTTPRequest.Method? { facts?.method }

  /// The ``Options/jsonDecoder`` of the response's request.
  package var jsonDecoder: JSONDecoder? { facts?.jsonDecoder }

  /// The status and header fields as one value of swift-http-types.
  public var head: HTTPResponse { HTTPResponse(status: status, headerFields: headers) }

  /// The trailer fields. For a streamed response they are available when its body has ended.
  public var trailers: HTTPFields { fields.value.stream?.ending?.trailers ?? fields.value.trailers }

  /// Timings and byte counts. For a streamed response they are complete when its body has ended.
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
    var facts: RequestFacts?
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

/// The parts of a request that reading its response needs. A response must not retain its request.
struct RequestFacts: Sendable {
  let method: HTTPRequest.Method
  let maximumBodySize: Int
  let jsonDecoder: JSONDecoder?
  /// Whether a cross-origin request had an `Authorization` field of its own. Only for a response with a status that requires
  /// credentials.
  let hadOwnCredentials: Bool

  init(_ request: Request, for status: HTTPResponse.Status) {
    method = request.method
    maximumBodySize = request.options.maximumBodySize
    jsonDecoder = request.options.jsonDecoder
    hadOwnCredentials = StatusError.requiresCredentials(status) && request.hasOwnCredentials
  }
}
