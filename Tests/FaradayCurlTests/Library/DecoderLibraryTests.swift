#if os(Linux)
import FaradayContentCoding
import Foundation
import Testing

struct DecoderLibraryTests {
  @Test("the process has one library for each coding, also if libcurl brings its own")
  func oneLibrary() throws {
    _ = ContentCoding.available
    let bytes = try FileHandle(forReadingAtPath: "/proc/self/maps")?.readToEnd()
    let maps = String(decoding: try #require(bytes), as: UTF8.self)
    let files = Set(maps.split(separator: "\n").compactMap { $0.split(separator: "/").last })
    #expect(files.contains { $0.hasPrefix("libcurl") })
    for name in ["libbrotlidec", "libzstd"] {
      let loaded = files.filter { $0.hasPrefix(name) }
      #expect(loaded.count <= 1, "\(loaded)")
    }
  }
}
#endif
