import Faraday
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Asks for passwords.
enum Password {
  /// `user:password`, with a password that the terminal is asked for if there is none.
  static func completing(_ user: String, for what: String) throws -> String {
    guard !user.contains(":"), !user.hasPrefix(";") else { return user }
    guard let typed = getpass("Enter \(what) password for user '\(user)':") else {
      throw CommandFailure.usage("-u requires user:password where there is no terminal")
    }
    return "\(user):\(String(cString: typed))"
  }
}
