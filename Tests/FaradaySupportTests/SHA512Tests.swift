import FaradaySupport
import Testing

/// The vectors of NIST (FIPS 180-4 examples, SHA512ShortMsg, the one million `a`).
@Suite struct SHA512Tests {
  @Test(arguments: [
    (
      "",
      "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
        + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
    ),
    (
      "abc",
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
        + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
    ),
  ])
  func `the examples of FIPS 180-4`(text: String, expected: String) {
    #expect(SHA512.hash(text.utf8).hexadecimal == expected)
  }

  @Test func `a million times a`() {
    var hash = SHA512()
    let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 1000)
    for _ in 0..<1000 { hash.update(piece.span) }
    #expect(
      hash.finish().hexadecimal == "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
        + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b")
  }

  @Test func `a single byte of NIST's short messages`() {
    #expect(
      SHA512.hash([0x21]).hexadecimal == "3831a6a6155e509dee59a7f451eb35324d8f8f2df6e3708894740f98fdee2388"
        + "9f4de5adb0c5010dfb555cda77c8ab5dc902094c52de3278f35a75ebc25f093a")
  }

  @Test func `pieces of any size make the same hash as the whole`() {
    let bytes = (0..<600).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    for length in [0, 1, 111, 112, 119, 120, 127, 128, 129, 255, 256, 257, 600] {
      let whole = SHA512.hash(bytes.prefix(length))
      for size in [1, 7, 127, 128, 129] {
        var hash = SHA512()
        for start in stride(from: 0, to: length, by: size) { hash.update(Array(bytes[start..<min(start + size, length)]).span) }
        #expect(hash.finish() == whole)
      }
    }
  }
}
