import Foundation
import Glibc

/// What the kernel says of this process.
enum Figures {
  /// A line of `/proc/self/status`, in KiB.
  static func status(_ name: String) -> Int {
    contents("/proc/self/status").split(separator: "\n").first { $0.hasPrefix(name + ":") }
      .flatMap { $0.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first }.flatMap { Int($0) } ?? 0
  }

  /// From here on the peak is counted anew.
  static func resetPeak() {
    let file = open("/proc/self/clear_refs", O_WRONLY)
    write(file, "5", 1)
    close(file)
  }

  /// What the descriptors are.
  static var openFiles: String {
    entries("/proc/self/fd").compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
      .sorted().joined(separator: " ")
  }

  static var descriptors: Int { entries("/proc/self/fd").count }

  /// How many threads have that name.
  static func threads(named name: String) -> Int {
    entries("/proc/self/task").count { contents("/proc/self/task/\($0)/comm") == name + "\n" }
  }

  private static func entries(_ folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }

  private static func contents(_ path: String) -> String {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 8192)
    let count = read(file, &bytes, bytes.count)
    return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
  }
}
