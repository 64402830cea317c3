import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// A small client of Redis: one connection, which all commands share, and which is made again when it has broken.
///
/// A command waits for its reply for at most a time limit, so that a dead Redis delays nobody for longer. The replies have no
/// numbers: after a timeout the connection is closed, or a late reply would go to the wrong command. Thread-safe.
final class Redis: Service {
  private let url: String
  let timeout: Duration
  private let maximumWaiting: Int
  private let state = Mutex(State())

  private struct State {
    var connection: EventLoopFuture<any Channel>?
    var waiting = 0
  }

  /// - Parameters:
  ///   - url: `redis://HOST:PORT` or `unix:/PATH`.
  ///   - timeout: the time limit of a connection and of a command.
  ///   - maximumWaiting: the highest number of commands without a reply.
  init(_ url: String, timeout: Duration, maximumWaiting: Int = 1024) {
    self.url = url
    self.timeout = timeout
    self.maximumWaiting = maximumWaiting
  }

  /// Closes the connection when the service shuts down.
  func run() async throws {
    try? await gracefulShutdown()
    let connection = state.withLock { $0.connection }
    try? await connection?.get().close()
  }

  /// Runs a script as one atomic step.
  func eval(_ script: String, _ keys: [String], _ arguments: [String]) async throws -> RedisReply {
    try await send(["EVAL", script, "\(keys.count)"] + keys + arguments)
  }

  func send(_ words: [String]) async throws -> RedisReply {
    try await send(words.map { ByteBuffer(string: $0) })
  }

  /// Sends a command. Throws ``RedisError``. Cancellation has no effect: the time limit ends the wait.
  func send(_ words: [ByteBuffer]) async throws -> RedisReply {
    let hasPlace = state.withLock { state in
      guard state.waiting < maximumWaiting else { return false }
      state.waiting += 1
      return true
    }
    guard hasPlace else { throw RedisError.busy }
    defer { state.withLock { $0.waiting -= 1 } }
    let channel = try await connection()
    let command = RedisCommand(words: words, reply: channel.eventLoop.makePromise())
    let timer = channel.eventLoop.scheduleTask(in: .nanoseconds(Int64(timeout / .nanoseconds(1)))) {
      command.reply.fail(RedisError.timeout)
      channel.close(promise: nil)
    }
    defer { timer.cancel() }
    channel.writeAndFlush(command).whenFailure { command.reply.fail(RedisError.unavailable("\($0)")) }
    let reply = try await command.reply.futureResult.get()
    if case .error(let message) = reply { throw RedisError.refused(message) }
    return reply
  }

  /// Returns the open connection, or the new one that all commands wait for.
  private func connection() async throws -> any Channel {
    let (connection, isNew) = state.withLock { state in
      if let connection = state.connection { return (connection, false) }
      let connection = connect()
      state.connection = connection
      return (connection, true)
    }
    if isNew {
      // Completes when the connection could not be made, and when it was closed.
      connection.flatMap { $0.closeFuture }.whenComplete { [weak self] _ in self?.forget(connection) }
    }
    do {
      return try await connection.get()
    } catch {
      throw RedisError.unavailable("\(error)")
    }
  }

  private func forget(_ connection: EventLoopFuture<any Channel>) {
    state.withLock { if $0.connection === connection { $0.connection = nil } }
  }

  private func connect() -> EventLoopFuture<any Channel> {
    let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connectTimeout(.nanoseconds(Int64(timeout / .nanoseconds(1))))
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let decoder = ByteToMessageHandler(RedisReplyDecoder(), maximumBufferSize: 2 * RedisReplyDecoder.maximumSize)
          try channel.pipeline.syncOperations.addHandlers(decoder, RedisPipeline())
        }
      }
    if url.hasPrefix("unix:") { return bootstrap.connect(unixDomainSocketPath: String(url.dropFirst(5))) }
    let parts = url.trimmingPrefix("redis://").split(separator: ":")
    return bootstrap.connect(host: parts.first.map(String.init) ?? "", port: parts.last.flatMap { Int($0) } ?? 6379)
  }
}
