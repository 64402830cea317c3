/// The hash function SHA-256 (FIPS 180-4), for signatures, checksums and keys. Incremental: `update` may be called for each
/// piece of a body.
package struct SHA256: Sendable {
  private var hash: Hash<UInt32>

  package init() { self.init(library: .sha256) }

  /// - Parameter library: the functions of OpenSSL; nil for Faraday's own.
  init(library: LibraryHash?) { hash = Hash(library) }

  /// Adds bytes.
  package mutating func update(_ bytes: Span<UInt8>) { hash.update(bytes) }

  /// Returns the 32 bytes of the hash. No bytes can be added afterwards.
  package mutating func finish() -> [UInt8] { hash.finish() }

  /// The hash of these bytes.
  package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var hash = SHA256()
    hash.update(Array(bytes).span)
    return hash.finish()
  }

  /// The keyed hash HMAC-SHA-256 (RFC 2104).
  package static func authentication(of message: some Sequence<UInt8>, key: some Sequence<UInt8>) -> [UInt8] {
    var key = Array(key)
    if key.count > 64 { key = hash(key) }
    key += [UInt8](repeating: 0, count: 64 - key.count)
    return hash(key.map { $0 ^ 0x5C } + hash(key.map { $0 ^ 0x36 } + Array(message)))
  }
}

/// The hash function SHA-512 (FIPS 180-4), for checksums. Incremental: `update` may be called for each piece of a body.
package struct SHA512: Sendable {
  private var hash: Hash<UInt64>

  package init() { self.init(library: .sha512) }

  /// - Parameter library: the functions of OpenSSL; nil for Faraday's own.
  init(library: LibraryHash?) { hash = Hash(library) }

  /// Adds bytes.
  package mutating func update(_ bytes: Span<UInt8>) { hash.update(bytes) }

  /// Returns the 64 bytes of the hash. No bytes can be added afterwards.
  package mutating func finish() -> [UInt8] { hash.finish() }

  /// The hash of these bytes.
  package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var hash = SHA512()
    hash.update(Array(bytes).span)
    return hash.finish()
  }
}

/// SHA-2 by OpenSSL, which uses the processor's instructions, or by the implementation below.
private struct Hash<Word: SHA2Word>: Sendable {
  private var library: LibraryHash?
  private var own: SHA2<Word>?

  init(_ library: LibraryHash?) {
    self.library = library
    own = library == nil ? SHA2() : nil
  }

  mutating func update(_ bytes: Span<UInt8>) {
    library?.update(bytes)
    own?.update(bytes)
  }

  mutating func finish() -> [UInt8] { library?.finish(count: 8 * MemoryLayout<Word>.size) ?? own?.finish() ?? [] }
}

extension Sequence<UInt8> {
  /// The bytes as lower-case hexadecimal digits.
  package var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

/// SHA-2 over words of 32 or 64 bits. Private, so that the compiler specializes it for both sizes in this file.
private struct SHA2<Word: SHA2Word> {
  private var state = Word.initialState
  /// The bytes of an incomplete block.
  private var block: [UInt8] = []
  /// The number of bytes so far.
  private var length: UInt64 = 0

  /// The size of a block in bytes: sixteen words.
  private static var blockSize: Int { 2 * Word.bitWidth }

  init() { block.reserveCapacity(Self.blockSize) }

  mutating func update(_ bytes: Span<UInt8>) {
    length &+= UInt64(bytes.count)
    var index = 0
    while !block.isEmpty, index < bytes.count {
      append(bytes[index])
      index += 1
    }
    while bytes.count - index >= Self.blockSize {
      compress(bytes.bytes, at: index)
      index += Self.blockSize
    }
    while index < bytes.count {
      append(bytes[index])
      index += 1
    }
  }

  /// Adds the padding (a bit, zeros, and the length in bits in the last eighth of the block), and returns the hash.
  mutating func finish() -> [UInt8] {
    let bits = length &* 8
    append(0x80)
    while block.count != Self.blockSize - Self.blockSize / 8 { append(0) }
    // The length field of SHA-512 has 128 bits. 64 bits are enough for a body.
    while block.count != Self.blockSize - 8 { append(0) }
    for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: bits >> UInt64(shift))) }
    return state.flatMap { word in
      stride(from: Word.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
    }
  }

  private mutating func append(_ byte: UInt8) {
    block.append(byte)
    guard block.count == Self.blockSize else { return }
    let full = block
    compress(full.span.bytes, at: 0)
    block.removeAll(keepingCapacity: true)
  }

  /// Sections 6.2.2 and 6.4.2. The sixteen latest words of the schedule are in variables: an array would halve the speed.
  private mutating func compress(_ bytes: RawSpan, at start: Int) {
    let constants = Word.constants.span
    func word(_ index: Int) -> Word {
      bytes.unsafeLoadUnaligned(fromByteOffset: start + index * MemoryLayout<Word>.size, as: Word.self).bigEndian
    }
    var (w0, w1, w2, w3, w4, w5, w6, w7) = (word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7))
    var (w8, w9, w10, w11, w12, w13, w14, w15) = (word(8), word(9), word(10), word(11), word(12), word(13), word(14), word(15))
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    var t = 0
    while true {
      Self.round(a, b, c, &d, e, f, g, &h, constants[t + 0] &+ w0)
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
      guard t < constants.count else { break }
      w0 &+= Word.sigma0(w1) &+ w9 &+ Word.sigma1(w14)
      w1 &+= Word.sigma0(w2) &+ w10 &+ Word.sigma1(w15)
      w2 &+= Word.sigma0(w3) &+ w11 &+ Word.sigma1(w0)
      w3 &+= Word.sigma0(w4) &+ w12 &+ Word.sigma1(w1)
      w4 &+= Word.sigma0(w5) &+ w13 &+ Word.sigma1(w2)
      w5 &+= Word.sigma0(w6) &+ w14 &+ Word.sigma1(w3)
      w6 &+= Word.sigma0(w7) &+ w15 &+ Word.sigma1(w4)
      w7 &+= Word.sigma0(w8) &+ w0 &+ Word.sigma1(w5)
      w8 &+= Word.sigma0(w9) &+ w1 &+ Word.sigma1(w6)
      w9 &+= Word.sigma0(w10) &+ w2 &+ Word.sigma1(w7)
      w10 &+= Word.sigma0(w11) &+ w3 &+ Word.sigma1(w8)
      w11 &+= Word.sigma0(w12) &+ w4 &+ Word.sigma1(w9)
      w12 &+= Word.sigma0(w13) &+ w5 &+ Word.sigma1(w10)
      w13 &+= Word.sigma0(w14) &+ w6 &+ Word.sigma1(w11)
      w14 &+= Word.sigma0(w15) &+ w7 &+ Word.sigma1(w12)
      w15 &+= Word.sigma0(w0) &+ w8 &+ Word.sigma1(w13)
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

  @inline(__always) private static func round(
    _ a: Word, _ b: Word, _ c: Word, _ d: inout Word, _ e: Word, _ f: Word, _ g: Word, _ h: inout Word, _ word: Word
  ) {
    h = h &+ Word.sum1(e) &+ ((e & f) ^ (~e & g)) &+ word
    d &+= h
    h = h &+ Word.sum0(a) &+ ((a & b) ^ (a & c) ^ (b & c))
  }
}

/// The parameters of SHA-2, in sections 4.1 (the functions: Σ is `sum` and σ is `sigma`), 4.2 (the constants) and 5.3 (the
/// initial state).
private protocol SHA2Word: FixedWidthInteger, UnsignedInteger, BitwiseCopyable, Sendable {
  static var initialState: [Self] { get }
  static var constants: [Self] { get }
  static func sum0(_ x: Self) -> Self
  static func sum1(_ x: Self) -> Self
  static func sigma0(_ x: Self) -> Self
  static func sigma1(_ x: Self) -> Self
}

extension FixedWidthInteger {
  @inline(__always) fileprivate func rotated(_ count: Self) -> Self { self &>> count | self &<< (0 &- count) }
}

extension UInt32: SHA2Word {
  fileprivate static let initialState: [Self] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  @inline(__always) fileprivate static func sum0(_ x: Self) -> Self { x.rotated(2) ^ x.rotated(13) ^ x.rotated(22) }
  @inline(__always) fileprivate static func sum1(_ x: Self) -> Self { x.rotated(6) ^ x.rotated(11) ^ x.rotated(25) }
  @inline(__always) fileprivate static func sigma0(_ x: Self) -> Self { x.rotated(7) ^ x.rotated(18) ^ x &>> 3 }
  @inline(__always) fileprivate static func sigma1(_ x: Self) -> Self { x.rotated(17) ^ x.rotated(19) ^ x &>> 10 }
  /// The upper halves of the first 64 constants of SHA-512.
  fileprivate static let constants = UInt64.constants.prefix(64).map { Self(truncatingIfNeeded: $0 >> 32) }
}

extension UInt64: SHA2Word {
  fileprivate static let initialState: [Self] = [
    0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1, 0x9b05_688c_2b3e_6c1f, 0x1f83_d9ab_fb41_bd6b, 0x5be0_cd19_137e_2179,
  ]
  @inline(__always) fileprivate static func sum0(_ x: Self) -> Self { x.rotated(28) ^ x.rotated(34) ^ x.rotated(39) }
  @inline(__always) fileprivate static func sum1(_ x: Self) -> Self { x.rotated(14) ^ x.rotated(18) ^ x.rotated(41) }
  @inline(__always) fileprivate static func sigma0(_ x: Self) -> Self { x.rotated(1) ^ x.rotated(8) ^ x &>> 7 }
  @inline(__always) fileprivate static func sigma1(_ x: Self) -> Self { x.rotated(19) ^ x.rotated(61) ^ x &>> 6 }
  fileprivate static let constants: [Self] = [
    0x428a_2f98_d728_ae22, 0x7137_4491_23ef_65cd, 0xb5c0_fbcf_ec4d_3b2f, 0xe9b5_dba5_8189_dbbc,
    0x3956_c25b_f348_b538, 0x59f1_11f1_b605_d019, 0x923f_82a4_af19_4f9b, 0xab1c_5ed5_da6d_8118,
    0xd807_aa98_a303_0242, 0x1283_5b01_4570_6fbe, 0x2431_85be_4ee4_b28c, 0x550c_7dc3_d5ff_b4e2,
    0x72be_5d74_f27b_896f, 0x80de_b1fe_3b16_96b1, 0x9bdc_06a7_25c7_1235, 0xc19b_f174_cf69_2694,
    0xe49b_69c1_9ef1_4ad2, 0xefbe_4786_384f_25e3, 0x0fc1_9dc6_8b8c_d5b5, 0x240c_a1cc_77ac_9c65,
    0x2de9_2c6f_592b_0275, 0x4a74_84aa_6ea6_e483, 0x5cb0_a9dc_bd41_fbd4, 0x76f9_88da_8311_53b5,
    0x983e_5152_ee66_dfab, 0xa831_c66d_2db4_3210, 0xb003_27c8_98fb_213f, 0xbf59_7fc7_beef_0ee4,
    0xc6e0_0bf3_3da8_8fc2, 0xd5a7_9147_930a_a725, 0x06ca_6351_e003_826f, 0x1429_2967_0a0e_6e70,
    0x27b7_0a85_46d2_2ffc, 0x2e1b_2138_5c26_c926, 0x4d2c_6dfc_5ac4_2aed, 0x5338_0d13_9d95_b3df,
    0x650a_7354_8baf_63de, 0x766a_0abb_3c77_b2a8, 0x81c2_c92e_47ed_aee6, 0x9272_2c85_1482_353b,
    0xa2bf_e8a1_4cf1_0364, 0xa81a_664b_bc42_3001, 0xc24b_8b70_d0f8_9791, 0xc76c_51a3_0654_be30,
    0xd192_e819_d6ef_5218, 0xd699_0624_5565_a910, 0xf40e_3585_5771_202a, 0x106a_a070_32bb_d1b8,
    0x19a4_c116_b8d2_d0c8, 0x1e37_6c08_5141_ab53, 0x2748_774c_df8e_eb99, 0x34b0_bcb5_e19b_48a8,
    0x391c_0cb3_c5c9_5a63, 0x4ed8_aa4a_e341_8acb, 0x5b9c_ca4f_7763_e373, 0x682e_6ff3_d6b2_b8a3,
    0x748f_82ee_5def_b2fc, 0x78a5_636f_4317_2f60, 0x84c8_7814_a1f0_ab72, 0x8cc7_0208_1a64_39ec,
    0x90be_fffa_2363_1e28, 0xa450_6ceb_de82_bde9, 0xbef9_a3f7_b2c6_7915, 0xc671_78f2_e372_532b,
    0xca27_3ece_ea26_619c, 0xd186_b8c7_21c0_c207, 0xeada_7dd6_cde0_eb1e, 0xf57d_4f7f_ee6e_d178,
    0x06f0_67aa_7217_6fba, 0x0a63_7dc5_a2c8_98a6, 0x113f_9804_bef9_0dae, 0x1b71_0b35_131c_471b,
    0x28db_77f5_2304_7d84, 0x32ca_ab7b_40c7_2493, 0x3c9e_be0a_15c9_bebc, 0x431d_67c4_9c10_0d4c,
    0x4cc5_d4be_cb3e_42b6, 0x597f_299c_fc65_7e2a, 0x5fcb_6fab_3ad6_faec, 0x6c44_198c_4a47_5817,
  ]
}
