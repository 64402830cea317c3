internal import FaradayCore

/// The routes for the bodies of requests and responses.
extension LocalServer.Session {
  func echo(_ request: LocalServer.Request) throws {
    let body = request.body
    try body.start()
    let type = request.head.value("content-type").map { [("Content-Type", $0)] } ?? []
    reply.begin(200, type, body.framing == .chunked ? .unknown : .known(request.head.contentLength))
    // A client may wait for the response before it continues with a body of unknown length.
    if body.framing == .chunked { try reply.flush() }
    while try body.next({ try reply.writePiece($0) }) { try reply.flush() }
    try reply.finish()
  }

  func upload(_ request: LocalServer.Request) throws {
    let isHashed = try request.number("hash", in: 0...1) == 1
    let rate = try request.number("rate", in: 1...(1 << 40))
    if rate != nil {
      socket.setReceiveBuffer(64 << 10)
      reply.closes = true
    }
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    let begin = Nanoseconds.monotonic
    while try request.body.next(
      atMost: rate.map { max(1, $0 / 20) } ?? .max,
      { piece in
        guard isHashed else { return }
        for byte in piece { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      })
    {
      guard let rate else { continue }
      let due = begin + Int(Double(request.body.byteCount) / Double(rate) * 1e9)
      try socket.pause(nanoseconds: due - Nanoseconds.monotonic)
    }
    let digits = String(hash, radix: 16)
    try reply.send(
      200,
      json: Upload(
        bytes: request.body.byteCount, chunks: request.body.chunkCount, framing: request.body.framing.rawValue,
        fnv1a: isHashed ? String(repeating: "0", count: 16 - digits.count) + digits : nil))
  }

  func drip(_ request: LocalServer.Request) throws {
    let count = try request.number("count", in: 0...1_000_000_000) ?? 10
    let interval = try request.number("interval", in: 0...3_600_000) ?? 100
    let size = try request.number("size", in: 1...(16 << 20)) ?? 16
    let isLengthKnown = try request.number("length", in: 0...1) == 1
    reply.begin(200, [("Content-Type", "text/plain")], isLengthKnown ? .known(count * size) : .unknown)
    var piece = [UInt8](repeating: UInt8(ascii: "."), count: size)
    let begin = Nanoseconds.monotonic
    for index in 0..<(request.head.isHead ? 0 : count) {
      if index > 0 {
        try socket.pause(nanoseconds: begin + index * interval * 1_000_000 - Nanoseconds.monotonic)
      }
      if size >= 40 {
        let label = Array("\(index) \(Nanoseconds.unix)\n".utf8)
        piece.replaceSubrange(0..<label.count, with: label)
      }
      try piece.withUnsafeBytes(reply.writePiece)
      try reply.flush()
    }
    try reply.finish()
  }

  func bytes(_ count: Int, _ request: LocalServer.Request) throws {
    let chunkSize = try request.number("chunked", in: 1...Int.max)
    reply.begin(
      200, [("Content-Type", "application/octet-stream")], chunkSize == nil ? .known(count) : .unknown)
    var offset = 0
    while offset < count, !request.head.isHead {
      let size = min(chunkSize ?? count, count - offset)
      reply.beginChunk(size)
      try writePattern(offset..<(offset + size))
      reply.endChunk()
      offset += size
    }
    try reply.finish()
  }

  private func writePattern(_ offsets: Range<Int>) throws {
    try LocalServer.pattern.withUnsafeBytes { pattern in
      var offset = offsets.lowerBound
      while offset < offsets.upperBound {
        let rest = pattern[(offset % LocalServer.patternPeriod)...].prefix(offsets.upperBound - offset)
        try reply.write(UnsafeRawBufferPointer(rebasing: rest))
        offset += rest.count
      }
    }
  }

  func gzipZeros(_ request: LocalServer.Request) throws {
    let pieces = Gzip.zeros(try request.number("size", in: 0...Int.max) ?? 1 << 20)
    beginGzip("application/octet-stream", pieces.byteCount)
    if !request.head.isHead {
      for piece in pieces { try piece.withUnsafeBytes(reply.write) }
    }
    try reply.finish()
  }

  func gzipText() throws {
    let bytes = Gzip.stored(Array("Hello, gzip!".utf8))
    beginGzip("text/plain", bytes.count)
    try bytes.withUnsafeBytes(reply.write)
    try reply.finish()
  }

  private func beginGzip(_ type: String, _ count: Int) {
    reply.begin(200, [("Content-Type", type), ("Content-Encoding", "gzip")], .known(count))
  }

  func trailers() throws {
    reply.begin(200, [("Content-Type", "text/plain"), ("Trailer", "X-Checksum")], .unknown)
    try Array("trailing".utf8).withUnsafeBytes(reply.writePiece)
    try reply.finish(trailers: [("X-Checksum", "abc")])
  }
}

extension LocalServer {
  fileprivate static let patternPeriod = 64 << 10

  /// Four periods, since larger pieces cost fewer calls.
  fileprivate static let pattern: [UInt8] = {
    let period = (0..<patternPeriod).map(patternByte)
    return period + period + period + period
  }()
}

private struct Upload: Encodable {
  let bytes, chunks: Int
  let framing: String
  let fnv1a: String?
}
