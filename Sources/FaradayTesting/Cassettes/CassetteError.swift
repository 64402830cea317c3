public import FaradayCore

/// The error of a cassette: an unknown request, recordings that no request has used, or a file that cannot be read.
public struct CassetteError: FaradayError, Hashable {
  /// The reason of the error.
  public enum Reason: Sendable, Hashable {
    /// No recording is left for the request. The nearest recording, and what differs; nil if the cassette is empty.
    case unknownRequest(nearest: String?)
    /// These recordings were not used: methods and URLs.
    case unused([String])
    /// The cassette does not exist, and must not be recorded.
    case missing
    /// The cassette, or a file with a body, cannot be read or written.
    case unreadable(String)
    /// The exchange cannot be recorded.
    case notRecordable(String)
    /// The environment variable with the mode has another value than the four modes.
    case invalidMode(String)
  }

  /// The reason of the error.
  public let reason: Reason
  /// The path of the cassette.
  public let path: String
  /// The method and redacted URL of the request; nil if the error is not of a request.
  public let request: RequestSummary?
  private let test: String?

  init(_ reason: Reason, path: String, request: Request? = nil) {
    self.reason = reason
    self.path = path
    self.request = request.map { RequestSummary($0) }
    test = Cassette.nameOfTest
  }

  /// One line: the request and the nearest recording, or the first twenty unused recordings.
  public var description: String {
    let problem =
      switch reason {
      case .unknownRequest(let nearest?): "no recording is left in \(path); the nearest is \(nearest)"
      case .unknownRequest: "no recording is left in \(path), which is empty"
      case .unused(let requests):
        "\(path) has recordings that were not used: \(requests.prefix(20).joined(separator: ", "))"
          + (requests.count > 20 ? " and \(requests.count - 20) more" : "")
      case .missing: "there is no \(path)"
      case .unreadable(let text): "\(path): \(text)"
      case .notRecordable(let text): "the exchange cannot be recorded in \(path): \(text)"
      case .invalidMode(let text):
        "\(Cassette.Mode.variable) is \(text.debugDescription.bounded(to: 64)), and must be never, once, always or new"
      }
    return naming(problem) + advice
  }

  private var advice: String {
    switch reason {
    case .unknownRequest, .unused, .missing:
      " (to record again: \(Cassette.Mode.variable)=always swift test\(test.map { " --filter '\($0)'" } ?? ""))"
    case .unreadable, .notRecordable, .invalidMode: ""
    }
  }
}
