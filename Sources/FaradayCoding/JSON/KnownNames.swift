#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// Names of members that have been read before: records have the same ones over and over, most often in the same order, and to
/// compare one is sooner done than to make it.
///
/// The bytes are the same ones each time, and have to stay where they are.
struct KnownNames {
  private var known: [Name] = []
  /// For each hash the place of its name, from 1; 0 if there is none yet.
  private var places = [UInt16](repeating: 0, count: 256)
  /// The place of the name that was read last, from 0.
  private var last = 0

  private struct Name {
    /// Where it begins in the bytes.
    let start: Int
    /// How many of them it has, which are ASCII without an escape, and have a quote behind them.
    let count: Int
    let text: String
    /// A bit that it has each time, though others may have it too.
    let bit: UInt64
    /// The place of the name that came after it last time.
    var next: Int
  }

  /// The name that begins there and its bit, if it is the one that came after the last one before; and how many bytes it has.
  @inline(__always)
  mutating func expected(at start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> (String, bit: UInt64, count: Int)? {
    guard last < known.count, let base = bytes.baseAddress else { return nil }
    let next = known[last].next
    let count = known[next].count
    guard start + count < bytes.count, memcmp(base + known[next].start, base + start, count + 1) == 0 else { return nil }
    last = next
    return (known[next].text, known[next].bit, count)
  }

  /// A name, which has a quote behind it and no escape in it, and its bit.
  mutating func find(_ name: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) -> (String, bit: UInt64) {
    var hash = UInt32(truncatingIfNeeded: name.count)
    for byte in bytes[name].prefix(16) { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
    // The highest bits depend on all.
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
