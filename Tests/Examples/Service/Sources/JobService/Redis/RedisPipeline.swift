import NIOCore

/// A command with the promise of its reply.
struct RedisCommand: Sendable {
  let words: [ByteBuffer]
  let reply: EventLoopPromise<RedisReply>
}

/// Sends commands over one connection, and gives each reply to the oldest command without one.
final class RedisPipeline: ChannelDuplexHandler {
  typealias InboundIn = RedisReply
  typealias OutboundIn = RedisCommand
  typealias OutboundOut = ByteBuffer

  private var waiting = CircularBuffer<EventLoopPromise<RedisReply>>()

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let command = unwrapOutboundIn(data)
    waiting.append(command.reply)
    var bytes = ByteBuffer(string: "*\(command.words.count)\r\n")
    for word in command.words {
      bytes.writeString("$\(word.readableBytes)\r\n")
      bytes.writeImmutableBuffer(word)
      bytes.writeString("\r\n")
    }
    context.write(wrapOutboundOut(bytes), promise: promise)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard let command = waiting.popFirst() else { return context.close(promise: nil) }
    command.succeed(unwrapInboundIn(data))
  }

  func channelInactive(context: ChannelHandlerContext) {
    fail(.unavailable("the connection was closed"))
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    fail(error as? RedisError ?? .unavailable("\(error)"))
    context.close(promise: nil)
  }

  private func fail(_ error: RedisError) {
    while let command = waiting.popFirst() { command.fail(error) }
  }
}
