/// What no response may be more than, whatever brings it.
package enum ResponseLimits {
  /// Lines of heads and trailers together: newer libcurl has the same limit. `HTTPFields` traps at 65,535.
  package static let lines = 5000

  package static let tooManyLines = "the response's head and trailers have more than \(lines) lines"
}
