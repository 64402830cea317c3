internal import FaradayCore
#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#endif

/// Writes files that only their owner can read.
enum PrivateFile {
  /// Writes a temporary file with mode 0600 in the same folder, and renames it when it is complete. Throws ``CookieFileError``.
  static func write(_ data: Data, to path: String) throws {
    var template = Array((path + ".XXXXXX").utf8CString)
    // Its mode is 0600 from the start.
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw failure(path) }
    let temporary = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    do {
      defer { close(descriptor) }
      try data.withUnsafeBytes { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
          let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
          if count < 0, errno == EINTR { continue }
          guard count >= 0 else { throw failure(path) }
          rest = rest.dropFirst(count)
        }
      }
      guard fsync(descriptor) == 0 else { throw failure(path) }
      guard rename(temporary, path) == 0 else { throw failure(path) }
    } catch {
      unlink(temporary)
      throw error
    }
  }

  private static func failure(_ path: String) -> CookieFileError {
    CookieFileError(path: path, reason: String(cString: strerror(errno)))
  }
}

// Its name is taken in the scope above.
#if canImport(Glibc)
private let systemWrite = Glibc.write
#elseif canImport(Musl)
private let systemWrite = Musl.write
#elseif canImport(Darwin)
private let systemWrite = Darwin.write
#endif
