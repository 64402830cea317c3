@testable import FaradayCore
@testable import FaradayContentCoding
@testable import FaradayWebSocket

extension Target {
  /// The frames of a server are the same messages in whatever pieces they arrive, within the limit, and never a trap.
  static let frames = Target("frames") { input in
    guard let first = input.bytes.first else { return }
    let bytes = Array(input.bytes.dropFirst())
    let isCompressed = first & 0x80 != 0
    let whole = Decoded(bytes, by: .max, isCompressed: isCompressed)
    expectEqual(Decoded(bytes, by: 1, isCompressed: isCompressed), whole, "byte by byte")
    expectEqual(Decoded(bytes, by: Int(first & 0x7F) + 1, isCompressed: isCompressed), whole, "in pieces")
  }

  /// What is compressed is decompressed, in whatever parts. The rest of the input is decompressed as it is, without a trap.
  static let inflation = Target("inflation") { input in
    guard let first = input.bytes.first else { return }
    let bytes = Data(input.bytes.dropFirst())
    let keepsContext = first & 0x80 != 0
    let size = Int(first & 0x7F) + 1
    let deflater = MessageDeflater(keepsContext: keepsContext, window: Int32(9 + Int(first) % 7))
    let inflater = MessageInflater(keepsContext: keepsContext)
    for _ in 0..<2 {
      var compressed = Data()
      var rest = bytes
      while !rest.isEmpty {
        compressed += (try? deflater.compress(Data(rest.prefix(size)), isEnd: false)) ?? Data()
        rest = rest.dropFirst(size)
      }
      compressed += (try? deflater.compress(Data(), isEnd: true)) ?? Data()
      expectEqual(inflated(compressed, by: inflater), bytes, "compressed and decompressed")
    }
    _ = inflated(bytes, by: MessageInflater(keepsContext: keepsContext))
  }

  /// Nil if it is malformed, or larger than a mebibyte.
  private static func inflated(_ message: Data, by inflater: MessageInflater) -> Data? {
    var plain = Data()
    do {
      for part in [message, MessageInflater.end] {
        inflater.feed(part)
        while let piece = try inflater.next() {
          plain += piece
          if plain.count > 1 << 20 { return nil }
        }
      }
    } catch { return nil }
    inflater.endMessage()
    return plain
  }
}

/// What a decoder makes of the bytes of a server.
private struct Decoded: Equatable {
  var events: [MessageDecoder.Event] = []
  var violation: WebSocket.CloseCode?

  init(_ bytes: [UInt8], by size: Int, isCompressed: Bool) {
    let limit = 10_000
    var decoder = MessageDecoder(limit: limit, inflation: isCompressed ? MessageInflater(keepsContext: true) : nil)
    var rest = bytes[...]
    do throws(Violation) {
      while !rest.isEmpty {
        decoder.append(Data(rest.prefix(size)))
        rest = rest.dropFirst(size)
        while let event = try decoder.next() {
          if case .message(let message) = event { expect(message.data.count <= limit, "a message above the limit") }
          events.append(event)
        }
      }
    } catch {
      violation = error.code
    }
  }
}
