internal import FaradayCore

/// The reason why a JSON document is not valid HAL, with its position. It contains no values of the document.
struct HALProblem: Error {
  let path: String
  let reason: String

  /// - Parameter path: at most 1 KiB are kept, because the names come from the server.
  init(path: String, reason: String) {
    self.path = path.bounded()
    self.reason = reason
  }

  /// Returns an equal error with the path extended by a parent.
  func inside(_ name: String) -> HALProblem {
    HALProblem(path: path.isEmpty || path.hasPrefix("[") ? name + path : name + "." + path, reason: reason)
  }
}
