import FoundationEssentials

@testable import FaradayContentCoding

extension Target {
  /// A coded body is the same in whatever pieces it comes, or the same error; its pieces are short and as many as they may be; and it
  /// is whole with none of its last bytes missing.
  static let codings = Target("codings") { input in
    guard let first = input.bytes.first else { return }
    let codings: [ContentCoding] = [
      [.gzip], [.deflate], [.gzip, .deflate], [.deflate, .gzip], [.brotli], [.zstd], [.brotli, .gzip], [.gzip, .zstd],
    ][Int(first & 7)]
    let bytes = Array(input.bytes.dropFirst())
    let whole = Undone(bytes, codings, piece: .max)
    let pieces = [1, Int(first >> 3) + 1].map { Undone(bytes, codings, piece: $0) }
    // Where it grows without end, it depends on the pieces what is seen first.
    guard ([whole] + pieces).allSatisfy({ $0.error != .tooLarge(Undone.limit) }) else { return }
    for other in pieces {
      // Where both codings are broken, one may be seen first.
      if codings.count == 1 { expectEqual(other.kindOfError, whole.kindOfError, "the error") }
      expectEqual(other.error == nil, whole.error == nil, "whether there is an error")
      let length = min(other.bytes.count, whole.bytes.count)
      expectEqual(other.bytes.prefix(length), whole.bytes.prefix(length), "the bytes")
      if whole.error == nil { expectEqual(other.bytes.count, whole.bytes.count, "how many bytes") }
    }
    // Of one coding, so that the rest is not several members.
    guard whole.error == nil, codings == [.deflate], bytes.count > 1 else { return }
    expectEqual(Undone(bytes.dropLast(), codings, piece: .max).error, .truncated(.deflate), "without its last byte")
  }
}

private struct Undone {
  static let limit: Int64 = 1 << 20
  var bytes: [UInt8] = []
  var error: ContentDecodingError?

  init(_ encoded: [UInt8], _ codings: [ContentCoding], piece: Int) {
    let decoder = ContentDecoder(codings, limits: .init(size: Self.limit))
    var rest = encoded[...]
    do throws(ContentDecodingError) {
      while !rest.isEmpty {
        decoder.feed(Data(rest.prefix(piece)))
        rest = rest.dropFirst(piece)
        try take(decoder)
      }
      decoder.finish()
      try take(decoder)
    } catch {
      self.error = error
    }
  }

  /// Which of several errors libbrotlidec and libzstd name can depend on the pieces.
  var kindOfError: ContentDecodingError? {
    switch error {
    case .malformed(let coding, _) where coding == .brotli || coding == .zstd: .malformed(coding, "")
    default: error
    }
  }

  private mutating func take(_ decoder: ContentDecoder) throws(ContentDecodingError) {
    while let piece = try decoder.next() {
      expect((1...ContentDecoder.pieceSize).contains(piece.count), "a piece of \(piece.count) bytes")
      bytes += piece
      expect(bytes.count <= Self.limit, "\(bytes.count) bytes")
    }
  }
}
