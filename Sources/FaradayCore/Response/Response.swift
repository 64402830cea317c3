/// A response, as a value.
public struct Response: Sendable {
  /// The status, whatever it is: a 404 is a response, not an error.
  public var status: HTTPResponse.Status
  /// The header fields, in order, repeated ones kept.
  public var headers: HTTPFields
  /// The content. Buffered it is whole; streamed it is read once.
  public var body: Body
  /// Where the response came from.
  public var url: URL
  /// The version of HTTP it came over.
  public var version: HTTPVersion

  private var ownTrailers: HTTPFields
  private var ownMetrics: TransferMetrics
  private let stream: ResponseStream?
  /// What belongs to the connection that it came over; nil if there was none.
  var context: ConnectionContext?
  private var values: [ObjectIdentifier: any Sendable] = [:]

  /// - Parameter stream: what its body comes out of, if anything: its trailers and metrics are there once it has ended.
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

  /// Status and header fields.
  public var head: HTTPResponse { HTTPResponse(status: status, headerFields: headers) }

  /// The fields after the body; of a streamed body they are known once it has ended.
  public var trailers: HTTPFields { stream?.ending?.trailers ?? ownTrailers }

  /// What the exchange cost; of a streamed body it is complete once it has ended.
  public var metrics: TransferMetrics { stream?.ending?.metrics ?? ownMetrics }

  /// What a middleware made of the response, such as its JSON, under a key of its own; nil if none did.
  public subscript<Key: ResponseKey>(key: Key.Type) -> Key.Value? {
    get {
      // Looked for first: a cast to an optional type makes a value out of nothing.
      guard let stored = values[ObjectIdentifier(key)] else { return nil }
      return stored as? Key.Value
    }
    set { values[ObjectIdentifier(key)] = newValue }
  }
}

/// Names something that a middleware makes of a response.
///
///     enum Checksum: ResponseKey { typealias Value = String }
///     response[Checksum.self] = "4d5e"
public protocol ResponseKey {
  associatedtype Value: Sendable
}
