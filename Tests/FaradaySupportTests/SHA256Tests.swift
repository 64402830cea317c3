import FaradaySupport
import Testing

/// The vectors of NIST (FIPS 180-4 examples, SHA256ShortMsg, the one million `a`) and of RFC 4231.
@Suite struct SHA256Tests {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
  ])
  func `the examples of FIPS 180-4`(text: String, expected: String) {
    #expect(SHA256.hash(text.utf8).hexadecimal == expected)
  }

  @Test func `a million times a`() {
    var hash = SHA256()
    let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 1000)
    for _ in 0..<1000 { hash.update(piece.span) }
    #expect(hash.finish().hexadecimal == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test func `single bytes of NIST's short messages`() {
    #expect(
      SHA256.hash([0xD3]).hexadecimal == "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1")
    #expect(
      SHA256.hash([0x11, 0xAF]).hexadecimal == "5ca7133fa735326081558ac312c620eeca9970d1e70a4b95533d956f072d1f98")
  }

  @Test func `pieces of any size make the same hash as the whole`() {
    let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    for length in [0, 1, 55, 56, 63, 64, 65, 127, 128, 129, 300] {
      let whole = SHA256.hash(bytes.prefix(length))
      for size in [1, 3, 63, 64, 65] {
        var hash = SHA256()
        for start in stride(from: 0, to: length, by: size) { hash.update(Array(bytes[start..<min(start + size, length)]).span) }
        #expect(hash.finish() == whole)
      }
    }
  }

  @Test(arguments: [
    (
      [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xAA, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ])
  func `the keyed hashes of RFC 4231`(key: [UInt8], message: [UInt8], expected: String) {
    #expect(SHA256.authentication(of: message, key: key).hexadecimal == expected)
  }
}
