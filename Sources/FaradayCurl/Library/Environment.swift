#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The environment of the process.
package enum Environment {
  /// The first of these variables that is set and not empty, as libcurl reads them; nil for none. Not safe while another thread
  /// sets variables, as `getenv` is not.
  package static func variable(_ names: String...) -> String? {
    for name in names {
      if let value = getenv(name), value.pointee != 0 { return String(cString: value) }
    }
    return nil
  }
}
