private import Synchronization

/// Accepts connections on the loopback interface and gives each a thread, until it is stopped.
final class Acceptor: Sendable {
  private struct Connections {
    var accepted = 0
    var isStopped = false
    var open: [Int: SocketConnection] = [:]
  }

  private let listener: ListeningSocket
  private let connections = Mutex(Connections())
  private let isDone = Gate()

  /// Runs `serve` with each connection and its index (from 0) on the connection's thread; closes the connection afterwards.
  convenience init(
    on address: Loopback = .ipv4, port: Int = 0, serve: @escaping @Sendable (SocketConnection, Int) -> Void
  ) throws {
    try self.init(ListeningSocket(on: address, port: port), serve: serve)
  }

  init(_ listener: ListeningSocket, serve: @escaping @Sendable (SocketConnection, Int) -> Void) throws {
    self.listener = listener
    try spawnThread { [self] in
      while let connection = listener.accept() { start(connection, serve) }
      listener.close()
      isDone.open()
    }
  }

  var port: Int { listener.port }
  var acceptedCount: Int { connections.withLock { $0.accepted } }
  var openCount: Int { connections.withLock { $0.open.count } }

  /// Stops listening and closes every connection. Does not wait for the threads of the connections: one of them may be the
  /// caller's.
  func stop() {
    let (isFirst, open) = connections.withLock {
      let result = (!$0.isStopped, Array($0.open.values))
      $0.isStopped = true
      return result
    }
    if isFirst { listener.wake() }
    for connection in open { connection.close() }
    isDone.wait()
  }

  private func start(_ connection: SocketConnection, _ serve: @escaping @Sendable (SocketConnection, Int) -> Void) {
    let index = connections.withLock {
      $0.accepted += 1
      if !$0.isStopped { $0.open[$0.accepted - 1] = connection }
      return $0.isStopped ? nil : $0.accepted - 1
    }
    guard let index else { return connection.close() }
    do {
      try spawnThread { [self] in
        serve(connection, index)
        end(connection, index)
      }
    } catch {
      end(connection, index)
    }
  }

  private func end(_ connection: SocketConnection, _ index: Int) {
    connection.close()
    connections.withLock { _ = $0.open.removeValue(forKey: index) }
  }
}
