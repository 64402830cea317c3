import Faraday

extension Target {
  /// The lines of a body are the same in whatever pieces it arrives.
  static let lines = Target("lines") { input in
    guard let first = input.bytes.first else { return }
    let bytes = Array(input.bytes.dropFirst())
    let limit = Int(first & 31)
    let whole = split(bytes, piece: .max, upTo: limit)
    expectEqual(split(bytes, piece: 1, upTo: limit), whole, "byte by byte, upTo \(limit)")
    expectEqual(split(bytes, piece: Int(first >> 5) + 2, upTo: limit), whole, "in pieces of \(first >> 5 + 2), upTo \(limit)")
    guard let lines = whole.ended else { return }
    expect(lines.allSatisfy { $0.count <= limit && !$0.contains(0x0A) }, "no line")
    // What ends lines is not in them, and nothing else is missing.
    let isEnd = { (byte: UInt8) in byte == 0x0A || byte == 0x0D }
    expectEqual(lines.joined().filter { !isEnd($0) }, bytes.filter { !isEnd($0) }, "what stands in lines")
  }

  private struct Split: Equatable {
    /// The lines, if none was too long.
    var ended: [[UInt8]]?
  }

  private static func split(_ bytes: [UInt8], piece: Int, upTo limit: Int) -> Split {
    let splitter = LineSplitter(into: [[UInt8]](), upTo: limit) { lines, line in
      lines.append(line.withUnsafeBytes { Array($0) })
      return .continue
    }
    do {
      var start = 0
      while start < bytes.count {
        let next = start + min(piece, bytes.count - start)
        _ = try splitter.take(Array(bytes[start..<next]).span.bytes)
        start = next
      }
      return Split(ended: try splitter.finish())
    } catch {
      expect(error is BodyError, "\(error)")
      return Split()
    }
  }
}
