/// An HTTP response: status, header fields, body, trailers and metrics.
public struct Response: Sendable {
  /// The status. An adapter returns any status: a 404 is a response, not an error, unless a middleware such as `ExpectStatus`
  /// throws.
  public var status: HTTPResponse.Status
  /// The header fields, in order, repeated ones kept.
  public var headers: HTTPFields
  /// The body: complete if buffered, readable once if streamed.
  public var body: Body
  /// The URL that was requested, after redirects if a middleware followed any.
  public var url: URL
  /// The HTTP version that it was received over.
  public var version: HTTPVersion

  private var ownTrailers: HTTPFields
  private var ownMetrics: TransferMetrics
  private let stream: ResponseStream?
  /// The connection that it was received over; nil if there was none.
  var context: ConnectionContext?
  private var values: [ObjectIdentifier: any Sendable] = [:]

  /// A response, made by an adapter or a middleware.
  ///
  /// - Parameter stream: the stream of its body, if it has one: it provides trailers and metrics when it has ended.
  public init(
    status: HTTPResponse.Status, headers: HTTPFields = [:], body: Body = .empty, trailers: HTTPFields = [:], url: URL,
    version: HTTPVersion = .http1_1, metrics: TransferMetrics = TransferMetrics(), stream: ResponseStream? = nil
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.url = url
    self.version = version
    ownTrailers = trailers
    ownMetrics = metrics
    self.stream = stream
  }

  /// The status and header fields as one value of swift-http-types.
  public var head: HTTPResponse { HTTPResponse(status: status, headerFields: headers) }

  /// The trailer fields. Of a streamed response they are available when its body has ended.
  public var trailers: HTTPFields { stream?.ending?.trailers ?? ownTrailers }

  /// Timings and byte counts. Of a streamed response they are complete when its body has ended.
  public var metrics: TransferMetrics { stream?.ending?.metrics ?? ownMetrics }

  /// A value that a middleware has attached to the response, such as its parsed JSON; nil if there is none for the key.
  public subscript<Key: ResponseKey>(key: Key.Type) -> Key.Value? {
    get {
      // Looked up first: casting a missing value to an optional type would succeed.
      guard let stored = values[ObjectIdentifier(key)] else { return nil }
      return stored as? Key.Value
    }
    set { values[ObjectIdentifier(key)] = newValue }
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
