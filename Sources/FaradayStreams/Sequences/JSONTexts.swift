internal import FaradayCoding
internal import FaradayCore

/// Splits a body into the texts of a JSON text sequence, each of which begins with a record separator (RFC 7464).
struct JSONTexts {
  private var pieces: Body.AsyncIterator
  private let limit: Int
  private var piece = Data()
  private var start = 0
  private var begun = Data()

  init(_ body: Body, upTo limit: Int) {
    pieces = body.makeAsyncIterator()
    self.limit = limit
  }

  /// Returns the next text, with the line feed at its end; nil at the end of the body. Empty between two adjacent separators,
  /// and before the first.
  mutating func next() async throws -> Data? {
    while true {
      let end = piece.span.bytes.offset(of: 0x1E, from: start)
      begun += piece[(piece.startIndex + start)..<(piece.startIndex + end)]
      guard begun.count <= limit else { throw BodyError(.elementTooLarge(limit: limit)) }
      guard end == piece.count else {
        start = end + 1
        defer { begun = Data() }
        return begun
      }
      start = 0
      guard let next = try await pieces.next() else {
        piece = Data()
        defer { begun = Data() }
        return begun.isEmpty ? nil : begun
      }
      piece = next
    }
  }

  /// Whether the text is truncated: a number or literal at the end of the text may be a part of a longer one (RFC 7464, section
  /// 2.4).
  static func isCut(_ text: Data) -> Bool {
    guard !isEnded(text), let first = text.first(where: { !$0.isJSONSpace }) else { return false }
    return !Set(#"{[""#.utf8).contains(first)
  }

  /// Whether white space follows the text, as it does in a complete text.
  static func isEnded(_ text: Data) -> Bool { text.last?.isJSONSpace ?? true }
}

extension UInt8 {
  /// Whether the byte is JSON white space (RFC 8259, section 2).
  var isJSONSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

/// The error of a number or literal that is, or may be, truncated.
struct CutText: Error {}
