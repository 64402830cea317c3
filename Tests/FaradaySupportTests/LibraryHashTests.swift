@testable import FaradaySupport
import Testing

@Suite struct LibraryHashTests {
  private static let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* $0 &+ $0 >> 3) }

  private static func sha256(_ bytes: ArraySlice<UInt8>, by size: Int, _ library: LibraryHash?) -> [UInt8] {
    var hash = SHA256(library: library)
    for start in stride(from: 0, to: bytes.count, by: size) { hash.update(Array(bytes.dropFirst(start).prefix(size)).span) }
    return hash.finish()
  }

  private static func sha512(_ bytes: ArraySlice<UInt8>, by size: Int, _ library: LibraryHash?) -> [UInt8] {
    var hash = SHA512(library: library)
    for start in stride(from: 0, to: bytes.count, by: size) { hash.update(Array(bytes.dropFirst(start).prefix(size)).span) }
    return hash.finish()
  }

  @Test func `the hashes of OpenSSL and Faraday are equal, for any length and pieces`() {
    for length in Array(0...260) + [511, 512, 513, 1000] {
      for size in [1, 3, 64, 127, 128, 129, 1000] {
        let bytes = Self.bytes.prefix(length)
        #expect(Self.sha256(bytes, by: size, .sha256) == Self.sha256(bytes, by: 1000, nil))
        #expect(Self.sha512(bytes, by: size, .sha512) == Self.sha512(bytes, by: 1000, nil))
      }
    }
  }

  @Test(arguments: [true, false])
  func `a copy of a hash does not change with it`(usesLibrary: Bool) {
    let (start, rest) = (Array(Self.bytes[..<100]), Array(Self.bytes[100...]))
    var hash = SHA256(library: usesLibrary ? .sha256 : nil)
    hash.update(start.span)
    var (copy, whole) = (hash, hash)
    hash.update(rest.span)
    #expect(copy.finish() == Self.sha256(Self.bytes[..<100], by: 100, nil))
    #expect(hash.finish() == Self.sha256(Self.bytes[...], by: 100, nil))
    whole.update(rest.span)
    #expect(whole.finish() == Self.sha256(Self.bytes[...], by: 100, nil))
  }

  @Test func `Faraday's own implementation returns the hashes of FIPS 180-4`() {
    let text = Array("abc".utf8)
    #expect(
      Self.sha256(text[...], by: 1, nil).hexadecimal == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      Self.sha512(text[...], by: 1, nil).hexadecimal
        == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
  }
}
