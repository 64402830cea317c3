internal import FaradayCore

extension ConformanceGroup {
  /// Pieces are delivered without delay: the server sends each only when the client has seen the one before, so an adapter that
  /// buffers several never gets the second.
  static let chunkTiming: ConformanceGroup = .init(
    name: "chunk timing",
    cases: Framing.allCases.flatMap { framing in
      [1, 100, 100_000].flatMap { size in
        [
          Case("\(size) bytes at a time, \(framing.rawValue): the callback gets each at once") { subject in
            try await Drip(framing: framing, size: size).run { drip in
              _ = try await subject.connection(to: drip.server).get {
                $0.options.onChunk = { bytes in
                  drip.saw(bytes.byteCount)
                  return .continue
                }
              }
            }
          },
          Case("\(size) bytes at a time, \(framing.rawValue): the reader gets each at once", needs: .streamedDownload) {
            subject in
            try await Drip(framing: framing, size: size).run { drip in
              let response = try await subject.connection(to: drip.server).get { $0.options.delivery = .streamed }
              for try await piece in response.body { drip.saw(piece.count) }
            }
          },
        ]
      }
    } + [
      .init("progress is reported for each chunk") { subject in
        try await Drip(framing: .chunked, size: 10).run { drip in
          let told = Log<Int>()
          _ = try await subject.connection(to: drip.server).get {
            $0.options.onDownloadProgress = { progress in
              let before = told.elements.last ?? 0
              told.append(Int(progress.bytes))
              drip.saw(Int(progress.bytes) - before)
            }
          }
        }
      },
      .init("decoded data is delivered piece by piece", needs: [.encodedBodies]) { subject in
        try await Drip(gzipped: 3).run { drip in
          _ = try await subject.connection(to: drip.server).get {
            $0.options.decompression = .standard
            $0.options.onChunk = { bytes in
              drip.saw(bytes.byteCount)
              return .continue
            }
          }
        }
      },
    ])

  private enum Framing: String, CaseIterable {
    case chunked
    case length = "of known length"
    case close = "up to the end of the connection"
  }

  /// A server that sends pieces one by one, and the number of bytes that the client has seen.
  private final class Drip: Sendable {
    let server: RawServer
    private let size: Int
    private let total: Int
    private let seen: [Gate]
    private let counts = Log<Int>()

    init(framing: Framing, size: Int, pieces count: Int = 6) throws {
      let piece = [UInt8](repeating: 0x61, count: size)
      let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
      let (field, begin, end, last): (String, String, String, String) =
        switch framing {
        case .chunked: ("Transfer-Encoding: chunked", String(size, radix: 16) + "\r\n", "\r\n", "0\r\n\r\n")
        case .length: ("Content-Length: \(count * size)", "", "", "")
        case .close: ("Connection: close", "", "", "")
        }
      let wire = Array(repeating: Array(begin.utf8) + piece + Array(end.utf8), count: count) + [Array(last.utf8)]
      let seen = (0..<count).map { _ in Gate() }
      (self.size, self.seen, total) = (size, seen, count * size)
      server = try Self.serve(head + field + "\r\n\r\n", wire, seen)
    }

    /// Pieces that decode to 65,535 bytes each, the size of a stored block of gzip.
    init(gzipped count: Int) throws {
      let block = 0xFFFF
      let member = Gzip.stored([UInt8](repeating: 0x61, count: count * block))
      let ends = (1...count).map { 10 + $0 * (5 + block) } + [member.count]
      let wire = zip([0] + ends, ends).map { Array(member[$0..<$1]) }
      let seen = (0..<count).map { _ in Gate() }
      (size, self.seen, total) = (block, seen, count * block)
      server = try Self.serve(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(member.count)\r\n\r\n", wire, seen)
    }

    private static func serve(_ head: String, _ wire: [[UInt8]], _ seen: [Gate]) throws -> RawServer {
      try RawServer { connection in
        _ = try connection.readHead()
        try connection.send(head)
        for (index, bytes) in wire.enumerated() {
          guard index == 0 || seen[index - 1].wait() else { return }
          try connection.send(bytes)
        }
        connection.halfClose()
        connection.waitForClose()
      }
    }

    func saw(_ count: Int) {
      counts.append(count)
      let sum = counts.elements.reduce(0, +)
      for (index, gate) in seen.enumerated() where sum >= (index + 1) * size { gate.open() }
    }

    func run(_ body: (Drip) async throws -> Void) async throws {
      defer { server.stop() }
      try await body(self)
      try expectEqual(counts.elements.reduce(0, +), total)
    }
  }
}
