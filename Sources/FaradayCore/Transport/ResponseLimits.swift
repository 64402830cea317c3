/// Limits for responses over every adapter.
package enum ResponseLimits {
  /// The maximum number of lines in heads and trailers together, as in newer libcurl. `HTTPFields` traps at 65,535.
  package static let lines = 5000

  package static let tooManyLines = "the response's head and trailers have more than \(lines) lines"
}
