/// What an adapter has done since it was created, and what it is doing: a snapshot, whose numbers may be some microseconds
/// apart.
///
/// An exchange counts from when the adapter has accepted it: a request that is refused at once, because it is not valid or
/// needs a capability that the adapter lacks, does not count.
public struct AdapterStatistics: Sendable, Hashable, Codable {
  /// The connections to an origin.
  public struct Connections: Sendable, Hashable, Codable {
    /// Those that are open, idle ones included.
    public var open: Int
    /// Those that are kept (keep-alive) and that no exchange uses.
    public var idle: Int
    /// Those that were ever established.
    public var opened: Int

    /// Numbers of connections; 0 by default.
    public init(open: Int = 0, idle: Int = 0, opened: Int = 0) {
      self.open = open
      self.idle = idle
      self.opened = opened
    }
  }

  /// All connections; 0 over an adapter that does not tell.
  public var connections = Connections()
  /// The connections by the origin they were made for, `https://example.com`. Empty over an adapter that does not tell. Of the
  /// origins without an open connection only some are remembered: ``connections`` has them all.
  public var origins: [String: Connections] = [:]
  /// The exchanges that are under way, until the end of the response's body.
  public var active = 0
  /// The exchanges that wait in the request queue.
  public var queued = 0
  /// The exchanges that ended well, whatever their status.
  public var completed = 0
  /// The exchanges that were cancelled, those included whose body was dropped before its end.
  public var cancelled = 0
  /// The exchanges that failed, by the code of the error; any other error than a ``TransportError``, which only an adapter's
  /// own callbacks throw, counts as ``TransportError/Code/engineFailed``.
  public var errors: [TransportError.Code: Int] = [:]
  /// The bytes of requests' bodies that were sent.
  public var bytesSent: Int64 = 0
  /// The bytes of responses' bodies that were received, before decompression.
  public var bytesReceived: Int64 = 0

  /// Statistics without any exchange.
  public init() {}
}

extension TransportError.Code: Codable, CodingKeyRepresentable {}

extension AdapterStatistics {
  /// Adds an exchange that ended with this error; nil if it ended well.
  package mutating func count(_ error: (any Error)?) {
    switch error {
    case nil: completed += 1
    case is CancellationError: cancelled += 1
    case let error: errors[Self.code(of: error), default: 0] += 1
    }
  }

  /// The code that the error is counted by.
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
