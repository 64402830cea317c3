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

  private func starts(at offset: Int64, _ range: String) -> Bool {
    let digits = range.utf8.drop { !$0.isDigit && $0 != UInt8(ascii: "*") }.prefix { $0.isDigit }
    return Int64(String(decoding: Array(digits), as: UTF8.self)) == offset
  }
}
