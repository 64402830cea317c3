/// What request number so-and-so of a soak asks for, and what the server does to it: both ends draw the same from the seed.
struct SoakPlan {
  enum Delivery: CaseIterable { case buffered, streamed, callback }
  enum Framing { case length, chunked, untilClose }

  /// What the server does, one thing to a request, if it does anything.
  enum Fault: String, CaseIterable {
    /// Nothing, and the connection is kept.
    case none = "none"
    // These fail the request, which must be told.
    case cut = "cut inside the body"
    case reset = "reset inside the body"
    case silence = "closed without an answer"
    // From here on the response is whole; what comes behind it is nobody's.
    case lateResponse = "late: a second response"
    case lateTimeout = "late: a 408 and the end"
    case lateByte = "late: one byte"
    case lateEnd = "late: the end"
    /// A client may drop it and keep the connection, as long as it is nobody's answer.
    case together = "a second response with the body's last bytes"

    var failsRequest: Bool { self == .cut || self == .reset || self == .silence }
    var isLate: Bool { self == .lateResponse || self == .lateTimeout || self == .lateByte || self == .lateEnd }
  }

  let number: Int
  let method: String
  let delivery: Delivery
  /// Bytes of the request's body, nil if there is none; whether they come from a sequence, and whether that tells its length.
  let upload: Int?
  let isUploadStreamed: Bool
  let isUploadLengthKnown: Bool
  let asksForGzip: Bool
  let isOnEngineThread: Bool
  /// Microseconds after which the request is cancelled, and which its task waits before it begins.
  let cancelsAfter: Int?
  let pause: Int

  let status: Int
  let framing: Framing
  let size: Int
  let hasTrailers: Bool
  let isGzipped: Bool
  /// The answer leaves before the request's body was read.
  let isEarly: Bool
  let fault: Fault
  /// Microseconds until something late comes.
  let lateness: Int
  /// What is left to draw, for where the server cuts and where it waits.
  let rest: SplitMix

  init(seed: UInt64, number: Int) {
    var random = SplitMix(seed: seed &+ UInt64(truncatingIfNeeded: number) &* 0xD134_2543_DE82_EF95)
    self.number = number
    let verb = Int.random(in: 0..<20, using: &random)
    method = verb < 12 ? "GET" : verb < 14 ? "HEAD" : verb < 18 ? "POST" : "PUT"
    delivery = Delivery.allCases.randomElement(using: &random) ?? .buffered
    upload = verb < 14 ? nil : Self.size(using: &random)
    isUploadStreamed = Bool.random(using: &random)
    isUploadLengthKnown = Bool.random(using: &random)
    asksForGzip = Int.random(in: 0..<4, using: &random) == 0
    isOnEngineThread = Int.random(in: 0..<5, using: &random) == 0
    cancelsAfter = Int.random(in: 0..<16, using: &random) == 0 ? .random(in: 0..<15_000, using: &random) : nil
    pause = Int.random(in: 0..<40_000, using: &random)

    let hasContent = method != "HEAD" && Int.random(in: 0..<20, using: &random) != 0
    status = method == "HEAD" || hasContent ? 200 : 204
    let drawnSize = hasContent ? Self.size(using: &random) : 0
    let isUntilClose = hasContent && Int.random(in: 0..<16, using: &random) == 0
    framing = isUntilClose ? .untilClose : Bool.random(using: &random) ? .length : .chunked
    hasTrailers = Bool.random(using: &random)
    isGzipped = asksForGzip && hasContent && Bool.random(using: &random)
    isEarly = upload != nil && Int.random(in: 0..<6, using: &random) == 0

    // One in two is left in peace. What ends with the connection cannot be seen to be cut short, and nothing can follow it.
    let drawn = Bool.random(using: &random) ? Fault.allCases.randomElement(using: &random) ?? .none : .none
    let isPossible =
      switch drawn {
      case .cut, .reset: hasContent && !isUntilClose && drawnSize > 0
      case .silence: !isEarly
      case .together: hasContent && !isUntilClose && drawnSize > 0
      default: !isUntilClose
      }
    fault = isPossible ? drawn : .none
    // What comes late must not wait in the server's kernel for a slow reader of what is before it: it would not have left.
    size = fault.isLate || fault == .together ? min(drawnSize, 20_000) : drawnSize
    lateness = Int.random(in: 0..<30_000, using: &random)
    rest = random
  }

  /// The content of the response, which begins with its number.
  var content: [UInt8] { Self.bytes(size, marked: number) }

  /// So many bytes that no other number has.
  static func bytes(_ count: Int, marked number: Int) -> [UInt8] {
    var random = SplitMix(seed: UInt64(truncatingIfNeeded: number))
    var bytes = Array("\(number)\n".utf8)
    bytes.reserveCapacity(count + 8)
    while bytes.count < count { withUnsafeBytes(of: random.next()) { bytes += $0 } }
    return Array(bytes.prefix(count))
  }

  /// Mostly small, some none, a few large.
  private static func size(using random: inout SplitMix) -> Int {
    switch Int.random(in: 0..<20, using: &random) {
    case 0: 0
    case 1: .random(in: 0..<300_000, using: &random)
    case 2...5: .random(in: 0..<40_000, using: &random)
    default: .random(in: 0..<1000, using: &random)
    }
  }
}

/// The numbers of Steele, Lea and Flood: the same for the same seed.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

/// Adds up bytes as they come: FNV-1a, 64 bits.
struct Checksum {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325
  private(set) var count = 0

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
      count += 1
    }
  }

  /// How many bytes, and their sum.
  var text: String { "\(count)-\(String(value, radix: 16))" }

  static func text(of bytes: some Sequence<UInt8>) -> String {
    var sum = Checksum()
    sum.add(bytes)
    return sum.text
  }
}
