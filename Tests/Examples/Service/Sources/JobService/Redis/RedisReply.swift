import NIOCore

/// A reply of Redis in RESP2.
enum RedisReply: Sendable, Equatable {
  case null
  case integer(Int)
  /// A status or a bulk string, which may be binary.
  case bytes(ByteBuffer)
  case error(String)
  case array([RedisReply])

  /// The text of ``bytes(_:)``; nil for any other reply.
  var text: String? { if case .bytes(let bytes) = self { String(buffer: bytes) } else { nil } }
}

/// Decodes RESP2.
struct RedisReplyDecoder: ByteToMessageDecoder {
  typealias InboundOut = RedisReply

  /// The highest number of bytes in one string.
  static let maximumSize = 16 << 20

  mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
    var rest = buffer
    guard let reply = try Self.reply(from: &rest, depth: 0) else { return .needMoreData }
    buffer = rest
    context.fireChannelRead(wrapInboundOut(reply))
    return .continue
  }

  /// Returns nil if the bytes are not complete.
  static func reply(from bytes: inout ByteBuffer, depth: Int) throws -> RedisReply? {
    guard let end = bytes.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    guard depth < 8, var line = bytes.readSlice(length: end + 1 - bytes.readerIndex), line.readableBytes >= 3,
      let kind = line.readString(length: 1), let text = line.readString(length: line.readableBytes - 2)
    else { throw RedisError.malformedReply }
    if text == "-1", kind == "$" || kind == "*" { return .null }
    switch (kind, Int(text)) {
    case ("+", _): return .bytes(ByteBuffer(string: text))
    case ("-", _): return .error(text)
    case (":", let number?): return .integer(number)
    case ("$", let count?) where (0...Self.maximumSize).contains(count):
      guard bytes.readableBytes >= count + 2, let value = bytes.readSlice(length: count) else { return nil }
      bytes.moveReaderIndex(forwardBy: 2)
      return .bytes(value)
    case ("*", let count?) where (0...1 << 16).contains(count):
      var replies: [RedisReply] = []
      for _ in 0..<count {
        guard let reply = try reply(from: &bytes, depth: depth + 1) else { return nil }
        replies.append(reply)
      }
      return .array(replies)
    default: throw RedisError.malformedReply
    }
  }
}
