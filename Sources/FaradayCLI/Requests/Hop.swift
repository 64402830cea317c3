import Faraday

/// Where a request of a transfer goes: the first one to the URL itself, the others to where redirects lead.
struct Hop: Sendable {
  var target: Target
  /// Whether the body is sent: a redirect that makes a GET of a POST drops it.
  var sendsBody = true
  var isRedirected = false
  var referer: String?
  /// Whether fields that are secrets may be sent: to the first host, port and scheme only, unless `--location-trusted`.
  var isTrusted = true
  /// Whether `-u` is still in force: another port or scheme ends it for good.
  var keepsUser = true
  /// Whether the host is the first one, to which a `Host` of `-H` belongs.
  var isFirstHost = true
}

extension Target {
  /// The absolute URL of a `Location`, as libcurl resolves it.
  func following(location: [UInt8], keepsDots: Bool) throws -> Target {
    let text = Self.encoded(location)
    let parts = URLParts(text)
    let base = URLParts(url.absoluteString)
    let resolved: String
    if parts.hasAuthority {
      resolved = parts.start.isEmpty || parts.start == "//" ? base.start.dropLast(2) + text : text
    } else if text.utf8.first == UInt8(ascii: "/") {
      resolved = "\(base.start)\(base.host)\(text)"
    } else if text.utf8.first == UInt8(ascii: "?") || text.utf8.first == UInt8(ascii: "#") {
      let kept = text.utf8.first == UInt8(ascii: "#") ? base.query.map { "?\($0)" } ?? "" : ""
      resolved = "\(base.start)\(base.host)\(base.path)\(kept)\(text)"
    } else if !parts.start.isEmpty {
      resolved = text
    } else {
      let end = base.path.lastIndex(of: "/").map { base.path.index(after: $0) } ?? base.path.endIndex
      resolved = "\(base.start)\(base.host)\(base.path[..<end])\(text)"
    }
    let problem = "The redirect target URL could not be parsed: "
    let scheme = URLParts(resolved).start.prefix { $0 != ":" }.lowercased()
    guard ProtocolSet.isKnown(scheme) else { throw CommandFailure(1, problem + "Unsupported URL scheme") }
    // A colon without slashes is not that of a port here.
    guard let slashes = Target.start(of: resolved)?.slashes, (1...3).contains(slashes) else {
      throw CommandFailure(3, problem + "Unsupported number of slashes following scheme")
    }
    do {
      return try Target(resolved, keepsDots: keepsDots)
    } catch let failure as CommandFailure {
      let hasHost = !URLParts(resolved).host.isEmpty
      throw CommandFailure(failure.status, problem + (hasHost ? failure.message : "No host part in the URL"))
    }
  }

  /// Spaces are `%20` in the path and `+` behind a question mark; other bytes than ASCII are percent-encoded.
  private static func encoded(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var encoded: [UInt8] = []
    var isInQuery = false
    for byte in bytes {
      if byte == UInt8(ascii: "?") { isInQuery = true }
      switch byte {
      case 0x20: encoded += isInQuery ? [UInt8(ascii: "+")] : Array("%20".utf8)
      case 0x80...: encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: encoded.append(byte)
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  var scheme: String { url.scheme?.lowercased() ?? "" }
  var host: String { HostName.of(url) ?? "" }
  var port: Int { url.port ?? ["https": 443, "ftp": 21][scheme] ?? 80 }
}
