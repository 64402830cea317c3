import Faraday

/// `-C`: the rest of a body is asked for, and what the server makes of that is judged as libcurl does.
struct Resumption: Equatable, Sendable {
  /// How many bytes there are already.
  let offset: Int64

  enum Verdict: Equatable {
    /// The body is the rest.
    case append
    /// There is no rest: the body is none of the file's.
    case complete
  }

  /// What the response's body is. Throws curl's 33 if the server sends the whole instead.
  func verdict(on response: Response) throws -> Verdict {
    guard offset > 0 else { return .append }
    if response.status.code == 416 { return .complete }
    let ranges = response.headers[values: .contentRange]
    if ranges.contains(where: { starts(at: offset, $0) }) { return .append }
    if response.body.length == 0 { return .append }
    if response.body.length == offset { return .complete }
    throw CommandFailure(ExitStatus.rangeError, "HTTP server doesn't seem to support byte ranges. Cannot resume.")
  }

  /// Whether a status of 400 or more is no error with `-f`: a 416 to a part that was asked for. Libcurl forgets what it has asked for
  /// when a `Content-Range` has no first byte, as that of a 416 has none (RFC 9110, section 14.4).
  func excuses(_ response: Response) -> Bool {
    guard offset > 0, response.status.code == 416 else { return false }
    return response.headers[values: .contentRange].allSatisfy { start(of: $0) != nil }
  }

  private func starts(at offset: Int64, _ range: String) -> Bool {
    start(of: range) == offset
  }

  /// The first number of a `Content-Range`, unless an asterisk stands before it.
  private func start(of range: String) -> Int64? {
    let digits = range.utf8.drop { !$0.isDigit && $0 != UInt8(ascii: "*") }.prefix { $0.isDigit }
    return Int64(String(decoding: Array(digits), as: UTF8.self))
  }
}
