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

  /// The next text, with the line feed at its end; nil at the end of the body. Empty where nothing is between two separators, and
  /// before the first.
  mutating func next() async throws -> Data? {
    while true {
      let end = piece.span.bytes.offset(of: 0x1E, from: start)
      begun += piece[(piece.startIndex + start)..<(piece.startIndex + end)]
      guard begun.count <= limit else { throw ElementTooLarge(limit: limit) }
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

  /// Whether the text was cut off: a number or literal without anything behind it may be a part of another (RFC 7464, section
  /// 2.4).
  static func isCut(_ text: Data) -> Bool {
    guard !isEnded(text), let first = text.first(where: { !$0.isJSONSpace }) else { return false }
    return !Set(#"{[""#.utf8).contains(first)
  }

  /// Whether white space follows the text, which a whole one has.
  static func isEnded(_ text: Data) -> Bool { text.last?.isJSONSpace ?? true }
}

extension UInt8 {
  /// Whether it is white space of JSON (RFC 8259, section 2).
  var isJSONSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

/// A number or literal that was cut off, or may have been.
struct CutText: Error {}
