/// Counts of an adapter's connections and exchanges since it was created: a snapshot, whose numbers may differ by some
/// microseconds in time.
///
/// An exchange counts from its acceptance by the adapter. A request that the adapter rejects at once does not count: it is
/// invalid, or needs a missing capability.
public struct AdapterStatistics: Sendable, Hashable, Codable {
  /// The connections to an origin.
  public struct Connections: Sendable, Hashable, Codable {
    /// The open connections, including idle ones.
    public var open: Int
    /// The kept (keep-alive) connections that no exchange uses.
    public var idle: Int
    /// All connections ever established.
    public var opened: Int

    /// Numbers of connections; 0 by default.
    @_spi(Adapters) public init(open: Int = 0, idle: Int = 0, opened: Int = 0) {
      self.open = open
      self.idle = idle
      self.opened = opened
    }
  }

  /// All connections; 0 over an adapter that does not report it.
  public var connections: Connections
  /// The connections by their origin, `https://example.com`. Empty over an adapter that does not report them. Only some origins
  /// without an open connection are remembered; ``connections`` counts all connections.
  public var origins: [String: Connections]
  /// The exchanges in progress, until the end of the response's body.
  public var active: Int
  /// The exchanges that wait in the request queue.
  public var queued: Int
  /// The exchanges that completed without an error, whatever their status.
  public var completed: Int
  /// The exchanges that were cancelled, including those with a body dropped before its end.
  public var cancelled: Int
  /// The exchanges that failed, by the code of the error. An error of another type than ``TransportError``, which only
  /// callbacks of an adapter throw, counts as ``TransportError/Code/engineFailed``.
  public var errors: [TransportError.Code: Int]
  /// The bytes of requests' bodies that were sent.
  public var bytesSent: Int64
  /// The bytes of responses' bodies that were received, before decompression.
  public var bytesReceived: Int64

  /// Statistics from an adapter; everything is zero or empty by default.
  @_spi(Adapters) public init(
    connections: Connections = Connections(), origins: [String: Connections] = [:], active: Int = 0, queued: Int = 0,
    completed: Int = 0, cancelled: Int = 0, errors: [TransportError.Code: Int] = [:], bytesSent: Int64 = 0,
    bytesReceived: Int64 = 0
  ) {
    self.connections = connections
    self.origins = origins
    self.active = active
    self.queued = queued
    self.completed = completed
    self.cancelled = cancelled
    self.errors = errors
    self.bytesSent = bytesSent
    self.bytesReceived = bytesReceived
  }
}

extension TransportError.Code: Codable, CodingKeyRepresentable {}

extension AdapterStatistics {
  /// Adds an exchange that ended with an error, or without one if nil.
  package mutating func count(_ error: (any Error)?) {
    switch error {
    case nil: completed += 1
    case is CancellationError: cancelled += 1
    case let error: errors[Self.code(of: error), default: 0] += 1
    }
  }

  /// The code under which the error is counted.
  package static func code(of error: (any Error)?) -> TransportError.Code { (error as? TransportError)?.code ?? .engineFailed }

  /// Adds the statistics of another part of the same adapter.
  package mutating func add(_ other: Self) {
    connections = connections.adding(other.connections)
    origins.merge(other.origins) { $0.adding($1) }
    active += other.active
    queued += other.queued
    completed += other.completed
    cancelled += other.cancelled
    errors.merge(other.errors, uniquingKeysWith: +)
    bytesSent += other.bytesSent
    bytesReceived += other.bytesReceived
  }
}

extension AdapterStatistics.Connections {
  fileprivate func adding(_ other: Self) -> Self {
    Self(open: open + other.open, idle: idle + other.idle, opened: opened + other.opened)
  }
}
