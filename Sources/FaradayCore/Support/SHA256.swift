/// The hash function SHA-256 (FIPS 180-4), for signatures and checksums. Incremental: `update` may be called for each piece of a
/// body.
package struct SHA256: BlockHash {
  static let blockSize = 64
  var block: [UInt8] = []
  var length: UInt64 = 0
  private var state = Words(
    a: 0x6a09_e667, b: 0xbb67_ae85, c: 0x3c6e_f372, d: 0xa54f_f53a, e: 0x510e_527f, f: 0x9b05_688c, g: 0x1f83_d9ab, h: 0x5be0_cd19
  )

  private struct Words {
    var a, b, c, d, e, f, g, h: UInt32
  }

  package init() { block.reserveCapacity(Self.blockSize) }

  /// The hash of these bytes.
  package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var hash = SHA256()
    hash.update(Array(bytes).span)
    return hash.finish()
  }

  /// Adds bytes.
  package mutating func update(_ bytes: Span<UInt8>) { absorb(bytes) }

  /// The 32 bytes of the hash. Nothing can be added afterwards.
  package mutating func finish() -> [UInt8] {
    pad()
    let words = [state.a, state.b, state.c, state.d, state.e, state.f, state.g, state.h]
    return words.flatMap { word in
      stride(from: UInt32.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
    }
  }

  /// Section 6.2.2, with the sixteen latest words of the schedule in variables: in an array they cost half of the speed.
  mutating func compress(_ bytes: Span<UInt8>, at start: Int) {
    let (bytes, constants) = (bytes.bytes, Self.constants.span)
    func word(_ index: Int) -> UInt32 {
      bytes.unsafeLoadUnaligned(fromByteOffset: start + index * 4, as: UInt32.self).bigEndian
    }
    var w0 = word(0)
    var w1 = word(1)
    var w2 = word(2)
    var w3 = word(3)
    var w4 = word(4)
    var w5 = word(5)
    var w6 = word(6)
    var w7 = word(7)
    var w8 = word(8)
    var w9 = word(9)
    var w10 = word(10)
    var w11 = word(11)
    var w12 = word(12)
    var w13 = word(13)
    var w14 = word(14)
    var w15 = word(15)
    var (a, b, c, d) = (state.a, state.b, state.c, state.d)
    var (e, f, g, h) = (state.e, state.f, state.g, state.h)
    var t = 0
    while true {
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
      w0 &+= Self.schedule(w1, w9, w14)
      w1 &+= Self.schedule(w2, w10, w15)
      w2 &+= Self.schedule(w3, w11, w0)
      w3 &+= Self.schedule(w4, w12, w1)
      w4 &+= Self.schedule(w5, w13, w2)
      w5 &+= Self.schedule(w6, w14, w3)
      w6 &+= Self.schedule(w7, w15, w4)
      w7 &+= Self.schedule(w8, w0, w5)
      w8 &+= Self.schedule(w9, w1, w6)
      w9 &+= Self.schedule(w10, w2, w7)
      w10 &+= Self.schedule(w11, w3, w8)
      w11 &+= Self.schedule(w12, w4, w9)
      w12 &+= Self.schedule(w13, w5, w10)
      w13 &+= Self.schedule(w14, w6, w11)
      w14 &+= Self.schedule(w15, w7, w12)
      w15 &+= Self.schedule(w0, w8, w13)
    }
    state.a &+= a
    state.b &+= b
    state.c &+= c
    state.d &+= d
    state.e &+= e
    state.f &+= f
    state.g &+= g
    state.h &+= h
  }

  @inline(__always) private static func round(
    _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32,
    _ word: UInt32
  ) {
    let s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
    let s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
    h = h &+ s1 &+ ((e & f) ^ (~e & g)) &+ word
    d &+= h
    h = h &+ s0 &+ ((a & b) ^ (a & c) ^ (b & c))
  }

  @inline(__always) private static func schedule(_ second: UInt32, _ tenth: UInt32, _ fifteenth: UInt32) -> UInt32 {
    let s0 = rotated(second, 7) ^ rotated(second, 18) ^ (second &>> 3)
    let s1 = rotated(fifteenth, 17) ^ rotated(fifteenth, 19) ^ (fifteenth &>> 10)
    return s0 &+ tenth &+ s1
  }

  @inline(__always) private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word &>> count | word &<< (32 &- count)
  }

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
