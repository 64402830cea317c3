/// The hash function SHA-256 (FIPS 180-4), for signatures and checksums. Incremental: `update` may be called for each piece of a body.
package struct SHA256 {
  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  /// The bytes that do not fill a block yet.
  private var block: [UInt8] = []
  private var length: UInt64 = 0

  package init() { block.reserveCapacity(64) }

  /// The hash of these bytes.
  package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var hash = SHA256()
    hash.update(Array(bytes).span)
    return hash.finish()
  }

  /// Adds bytes.
  package mutating func update(_ bytes: Span<UInt8>) {
    length &+= UInt64(bytes.count)
    var index = 0
    while !block.isEmpty, index < bytes.count {
      append(bytes[index])
      index += 1
    }
    while bytes.count - index >= 64 {
      compress(bytes, at: index)
      index += 64
    }
    while index < bytes.count {
      append(bytes[index])
      index += 1
    }
  }

  /// The 32 bytes of the hash. Nothing can be added afterwards.
  package mutating func finish() -> [UInt8] {
    let bits = length &* 8
    append(0x80)
    while block.count != 56 { append(0) }
    for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: bits >> UInt64(shift))) }
    return state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) } }
  }

  private mutating func append(_ byte: UInt8) {
    block.append(byte)
    guard block.count == 64 else { return }
    let full = block
    block.removeAll(keepingCapacity: true)
    compress(full.span, at: 0)
  }

  /// Hashes the block of 64 bytes at the index (section 6.2.2).
  private mutating func compress(_ bytes: Span<UInt8>, at start: Int) {
    // The last sixteen words of the schedule are all that is needed of it. As locals they need no check of bounds.
    var (w0, w1, w2, w3) = (
      Self.word(bytes, start), Self.word(bytes, start + 4), Self.word(bytes, start + 8), Self.word(bytes, start + 12)
    )
    var (w4, w5, w6, w7) = (
      Self.word(bytes, start + 16), Self.word(bytes, start + 20), Self.word(bytes, start + 24), Self.word(bytes, start + 28)
    )
    var (w8, w9, w10, w11) = (
      Self.word(bytes, start + 32), Self.word(bytes, start + 36), Self.word(bytes, start + 40), Self.word(bytes, start + 44)
    )
    var (w12, w13, w14, w15) = (
      Self.word(bytes, start + 48), Self.word(bytes, start + 52), Self.word(bytes, start + 56), Self.word(bytes, start + 60)
    )
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    let constants = Self.constants.span
    var t = 0
    while true {
      // The names change places, and not the values.
      Self.round(a, b, c, &d, e, f, g, &h, constants[t] &+ w0)
      Self.round(h, a, b, &c, d, e, f, &g, constants[t + 1] &+ w1)
      Self.round(g, h, a, &b, c, d, e, &f, constants[t + 2] &+ w2)
      Self.round(f, g, h, &a, b, c, d, &e, constants[t + 3] &+ w3)
      Self.round(e, f, g, &h, a, b, c, &d, constants[t + 4] &+ w4)
      Self.round(d, e, f, &g, h, a, b, &c, constants[t + 5] &+ w5)
      Self.round(c, d, e, &f, g, h, a, &b, constants[t + 6] &+ w6)
      Self.round(b, c, d, &e, f, g, h, &a, constants[t + 7] &+ w7)
      Self.round(a, b, c, &d, e, f, g, &h, constants[t + 8] &+ w8)
      Self.round(h, a, b, &c, d, e, f, &g, constants[t + 9] &+ w9)
      Self.round(g, h, a, &b, c, d, e, &f, constants[t + 10] &+ w10)
      Self.round(f, g, h, &a, b, c, d, &e, constants[t + 11] &+ w11)
      Self.round(e, f, g, &h, a, b, c, &d, constants[t + 12] &+ w12)
      Self.round(d, e, f, &g, h, a, b, &c, constants[t + 13] &+ w13)
      Self.round(c, d, e, &f, g, h, a, &b, constants[t + 14] &+ w14)
      Self.round(b, c, d, &e, f, g, h, &a, constants[t + 15] &+ w15)
      t += 16
      guard t < 64 else { break }
      w0 = w0 &+ Self.sigma0(w1) &+ w9 &+ Self.sigma1(w14)
      w1 = w1 &+ Self.sigma0(w2) &+ w10 &+ Self.sigma1(w15)
      w2 = w2 &+ Self.sigma0(w3) &+ w11 &+ Self.sigma1(w0)
      w3 = w3 &+ Self.sigma0(w4) &+ w12 &+ Self.sigma1(w1)
      w4 = w4 &+ Self.sigma0(w5) &+ w13 &+ Self.sigma1(w2)
      w5 = w5 &+ Self.sigma0(w6) &+ w14 &+ Self.sigma1(w3)
      w6 = w6 &+ Self.sigma0(w7) &+ w15 &+ Self.sigma1(w4)
      w7 = w7 &+ Self.sigma0(w8) &+ w0 &+ Self.sigma1(w5)
      w8 = w8 &+ Self.sigma0(w9) &+ w1 &+ Self.sigma1(w6)
      w9 = w9 &+ Self.sigma0(w10) &+ w2 &+ Self.sigma1(w7)
      w10 = w10 &+ Self.sigma0(w11) &+ w3 &+ Self.sigma1(w8)
      w11 = w11 &+ Self.sigma0(w12) &+ w4 &+ Self.sigma1(w9)
      w12 = w12 &+ Self.sigma0(w13) &+ w5 &+ Self.sigma1(w10)
      w13 = w13 &+ Self.sigma0(w14) &+ w6 &+ Self.sigma1(w11)
      w14 = w14 &+ Self.sigma0(w15) &+ w7 &+ Self.sigma1(w12)
      w15 = w15 &+ Self.sigma0(w0) &+ w8 &+ Self.sigma1(w13)
    }
    state[0] &+= a
    state[1] &+= b
    state[2] &+= c
    state[3] &+= d
    state[4] &+= e
    state[5] &+= f
    state[6] &+= g
    state[7] &+= h
  }

  private static func word(_ bytes: Span<UInt8>, _ at: Int) -> UInt32 {
    UInt32(bytes[at]) << 24 | UInt32(bytes[at + 1]) << 16 | UInt32(bytes[at + 2]) << 8 | UInt32(bytes[at + 3])
  }

  private static func sigma0(_ word: UInt32) -> UInt32 { rotated(word, 7) ^ rotated(word, 18) ^ (word >> 3) }
  private static func sigma1(_ word: UInt32) -> UInt32 { rotated(word, 17) ^ rotated(word, 19) ^ (word >> 10) }

  /// One round: `word` is the constant and the word of the schedule.
  @inline(__always)
  private static func round(
    _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32,
    _ word: UInt32
  ) {
    let t1 = h &+ (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) &+ ((e & f) ^ (~e & g)) &+ word
    let t2 = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ ((a & b) ^ (a & c) ^ (b & c))
    d &+= t1
    h = t1 &+ t2
  }

  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word &>> count | word &<< (32 &- count) }

  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}

extension SHA256 {
  /// The keyed hash HMAC-SHA-256 (RFC 2104).
  package static func authentication(of message: some Sequence<UInt8>, key: some Sequence<UInt8>) -> [UInt8] {
    var key = Array(key)
    if key.count > 64 { key = hash(key) }
    key += [UInt8](repeating: 0, count: 64 - key.count)
    return hash(key.map { $0 ^ 0x5C } + hash(key.map { $0 ^ 0x36 } + Array(message)))
  }
}

extension Sequence<UInt8> {
  /// The bytes as lower-case hexadecimal digits.
  package var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
