#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// Names of members that have been read before: records have the same ones over and over, and to compare one is sooner done than
/// to make it.
struct KnownNames {
  private var known: [(bytes: UnsafeBufferPointer<UInt8>, text: String)?] = Array(repeating: nil, count: 64)

  /// The name, and a bit that others may have too.
  ///
  /// - Parameter bytes: ASCII, which stays where it is for as long as this lives.
  @inline(__always)
  mutating func find(_ bytes: UnsafeBufferPointer<UInt8>) -> (String, bits: UInt64) {
    guard let base = bytes.baseAddress, bytes.count > 0 else { return ("", 1) }
    // Two names may have the same place; then the one that was read last has it.
    let place = (bytes.count &* 7 &+ Int(bytes[0]) &* 3 &+ Int(bytes[bytes.count - 1])) & 63
    if let (old, text) = known[place], old.count == bytes.count, let oldBase = old.baseAddress,
      memcmp(oldBase, base, bytes.count) == 0
    {
      return (text, 1 &<< UInt64(place))
    }
    let text = String(decoding: bytes, as: UTF8.self)
    known[place] = (bytes, text)
    return (text, 1 &<< UInt64(place))
  }
}
