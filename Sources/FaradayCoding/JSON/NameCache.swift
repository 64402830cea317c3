#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// A cache of member names: records repeat the same names, mostly in the same order, and comparing bytes is faster than
/// creating a string.
///
/// All calls must pass the same buffer, at the same address.
struct NameCache {
  private var known: [Name] = []
  /// A hash table of 256 entries: indices into `known` from 1; 0 is empty.
  private var places = [UInt16](repeating: 0, count: 256)
  /// The index of the last name.
  private var last = 0

  private struct Name {
    /// The offset in the bytes.
    let start: Int
    /// The length. The bytes are ASCII without an escape, followed by a quote.
    let count: Int
    let text: String
    /// A hash of one bit.
    let bit: UInt64
    /// The index of the name that followed last time.
    var next: Int
  }

  /// The predicted name, if the bytes at `start` match it; otherwise nil.
  @inline(__always)
  mutating func expected(at start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> (String, bit: UInt64, count: Int)? {
    guard last < known.count, let base = bytes.baseAddress else { return nil }
    let next = known[last].next
    let count = known[next].count
    guard start + count < bytes.count, memcmp(base + known[next].start, base + start, count + 1) == 0 else { return nil }
    last = next
    return (known[next].text, known[next].bit, count)
  }

  /// The name in the range. A quote must follow the range, and the range must contain no escape.
  mutating func find(_ name: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) -> (String, bit: UInt64) {
    var hash = UInt32(truncatingIfNeeded: name.count)
    for byte in bytes[name].prefix(16) { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
    // The highest bits depend on all input bytes.
    hash >>= 24
    let old = Int(places[Int(hash)]) - 1
    if old >= 0 {
      if !isKnown(old, name, bytes) { known[old] = make(name, bytes, hash) }
      advance(to: old)
    } else {
      known.append(make(name, bytes, hash))
      places[Int(hash)] = UInt16(known.count)
      advance(to: known.count - 1)
    }
    return (known[last].text, known[last].bit)
  }

  private func isKnown(_ place: Int, _ name: Range<Int>, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let start = known[place].start
    return known[place].count == name.count && bytes[start..<start + name.count].elementsEqual(bytes[name])
  }

  private func make(_ name: Range<Int>, _ bytes: UnsafeBufferPointer<UInt8>, _ hash: UInt32) -> Name {
    let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[name]), as: UTF8.self)
    return Name(start: name.lowerBound, count: name.count, text: text, bit: 1 &<< UInt64(hash), next: 0)
  }

  private mutating func advance(to place: Int) {
    known[last].next = place
    last = place
  }
}
