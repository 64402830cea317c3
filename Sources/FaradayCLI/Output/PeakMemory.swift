import Faraday
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The peak resident memory of this process.
enum PeakMemory {
  static var bytes: Int64? {
    #if os(Linux)
    guard let status = try? InputFile(name: "/proc/self/status").contents() else { return nil }
    return bytes(inStatus: String(decoding: status, as: UTF8.self))
    #else
    var usage = rusage()
    return getrusage(RUSAGE_SELF, &usage) == 0 ? Int64(usage.ru_maxrss) : nil
    #endif
  }

  /// From the line `VmHWM:   12345 kB`.
  static func bytes(inStatus text: String) -> Int64? {
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
      let number = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
    else { return nil }
    return Int64(number).map { $0 * 1024 }
  }
}
