import Faraday
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// `-R`: the time of a file is that of its `Last-Modified`.
enum RemoteTime {
  static func set(of path: String, to response: Response?) {
    guard let text = response?.headers[.lastModified], let seconds = DateArgument.seconds(text) else { return }
    let time = timespec(tv_sec: seconds, tv_nsec: 0)
    _ = [time, time].withUnsafeBufferPointer { utimensat(AT_FDCWD, path, $0.baseAddress, 0) }
  }
}
