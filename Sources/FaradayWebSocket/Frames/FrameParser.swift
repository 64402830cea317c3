internal import FaradayCore

/// A parser for the frames of a server, in pieces of any size. It does no I/O, and copies only headers.
struct FrameParser {
  /// A part of a frame.
  enum Part: Equatable {
    case header(FrameHeader)
    /// Bytes of the payload: a slice of the piece that was appended.
    case payload(Data)
    /// The end of the frame.
    case end
  }

  private let mayBeCompressed: Bool
  private var piece = Data()
  /// The bytes of the current header so far.
  private var header: [UInt8] = []
  /// The bytes of the current payload that are missing; nil within a header.
  private var missing: Int?

  /// - Parameter mayBeCompressed: whether compression was negotiated.
  init(mayBeCompressed: Bool = false) {
    self.mayBeCompressed = mayBeCompressed
    header.reserveCapacity(FrameHeader.maximumSize)
  }

  /// Whether a frame has begun and not ended.
  var isWithinFrame: Bool { missing != nil || !header.isEmpty }

  /// Appends received bytes. Allowed only after ``next()`` has returned nil.
  mutating func append(_ piece: Data) { self.piece = piece }

  /// The next part; nil if more bytes are needed.
  mutating func next() throws(Violation) -> Part? {
    guard let missing else { return try nextHeader() }
    if missing == 0 {
      self.missing = nil
      return .end
    }
    guard !piece.isEmpty else { return nil }
    let payload = piece.prefix(missing)
    piece = piece.dropFirst(payload.count)
    self.missing = missing - payload.count
    return .payload(payload)
  }

  private mutating func nextHeader() throws(Violation) -> Part? {
    while let byte = piece.popFirst() {
      header.append(byte)
      guard header.count >= 2, header.count == FrameHeader.size(beginningWith: header[1]) else { continue }
      let parsed = try FrameHeader(header.span, mayBeCompressed: mayBeCompressed)
      header.removeAll(keepingCapacity: true)
      missing = parsed.length
      return .header(parsed)
    }
    return nil
  }
}
