import FaradayTesting
import Foundation

/// An HTTP/2 server over TLS that says the frames it is told to, and then goodbye in the middle of everything.
// Safe to share: see `OpenSSLServer`.
final class FrameServer: @unchecked Sendable {
  private let server: OpenSSLServer
  private var received = Data()

  /// Throws a `CocoaError` if it does not start.
  ///
  /// - Parameter folder: where `cert.pem` and `key.pem` are.
  init(folder: String) throws { server = try OpenSSLServer(folder: folder, ["-alpn", "h2"]) }

  var port: Int { server.port }

  /// Waits for so many requests, answers each with a head and a little of a body without a length, and closes. Reading blocks,
  /// so it does that on a thread of its own.
  func answerHalf(of count: Int) async { await server.run { [self] _ in answer(count) } }

  private func answer(_ count: Int) {
    let preface = Data("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    var streams: [UInt32] = []
    while streams.count < count {
      if let start = received.range(of: preface)?.upperBound { streams = requests(in: received[start...]) }
      if streams.count < count {
        let output = server.read()
        // It has ended: so will the requests that wait for it.
        guard !output.isEmpty else { return }
        received += output
      }
    }
    var answer = frame(4, 0, 0, [])
    // 0x88 is `:status: 200` in the static table; 4 is END_HEADERS.
    for stream in streams { answer += frame(1, 4, stream, [0x88]) + frame(0, 0, stream, Array("half of it".utf8)) }
    server.write(Array(answer))
    server.end()
  }

  /// The streams of the HEADERS frames.
  private func requests(in data: Data) -> [UInt32] {
    let bytes = Array(data)
    var streams: [UInt32] = []
    var offset = 0
    while offset + 9 <= bytes.count {
      let length = Int(bytes[offset]) << 16 | Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2])
      let stream = bytes[offset + 5..<offset + 9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      if bytes[offset + 3] == 1 { streams.append(stream) }
      offset += 9 + length
    }
    return streams
  }

  private func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8]) -> Data {
    let length = UInt32(payload.count)
    let head = [length >> 16, length >> 8, length].map { UInt8(truncatingIfNeeded: $0) } + [type, flags]
    return Data(head + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: stream >> $0) } + payload)
  }
}
