import Testing

@testable import FaradayCore

/// The vectors of NIST (FIPS 180-4 examples, the one million `a`).
@Suite struct SHA512Tests {
  @Test(arguments: [
    (
      "",
      "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
    ),
    (
      "abc",
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
    ),
  ])
  func `the examples of FIPS 180-4`(text: String, expected: String) {
    var hash = SHA512()
    hash.update(Array(text.utf8).span)
    #expect(hash.finish().hexadecimal == expected)
  }

  @Test func `a million times a`() {
    var hash = SHA512()
    let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 1000)
    for _ in 0..<1000 { hash.update(piece.span) }
    #expect(
      hash.finish().hexadecimal
        == "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973ebde0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b"
    )
  }

  @Test func `pieces of any size make the same hash as the whole`() {
    let bytes = (0..<600).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    for length in [0, 1, 111, 112, 127, 128, 129, 255, 256, 600] {
      var whole = SHA512()
      whole.update(Array(bytes.prefix(length)).span)
      let expected = whole.finish()
      for size in [1, 3, 127, 128, 129] {
        var hash = SHA512()
        for start in stride(from: 0, to: length, by: size) { hash.update(Array(bytes[start..<min(start + size, length)]).span) }
        #expect(hash.finish() == expected)
      }
    }
  }
}
