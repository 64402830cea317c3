internal import FaradayCore

/// The value of a `Strict-Transport-Security` field (RFC 6797, section 6.1).
struct StrictTransportSecurity: Equatable {
  /// The lifetime in seconds; 0 removes the host.
  let maximumAge: Double
  let includesSubdomains: Bool

  /// Returns nil for a value that must be ignored completely: without `max-age`, with a duplicate directive, or malformed.
  init?(parsing value: String) {
    var scanner = FieldScanner(value)
    var names: Set<String> = []
    var age: Double?
    while true {
      scanner.skipSpace()
      if let name = scanner.token()?.lowercased() {
        guard names.insert(name).inserted else { return nil }
        scanner.skipSpace()
        var directive: String?
        if scanner.take("=") {
          scanner.skipSpace()
          guard let text = scanner.value() else { return nil }
          directive = text
          scanner.skipSpace()
        }
        switch name {
        case "max-age":
          guard let seconds = directive?.deltaSeconds else { return nil }
          age = seconds
        case "includesubdomains": guard directive == nil else { return nil }
        default: break
        }
      }
      if scanner.isAtEnd { break }
      guard scanner.take(";") else { return nil }
    }
    guard let age else { return nil }
    maximumAge = age
    includesSubdomains = names.contains("includesubdomains")
  }
}
