internal import FaradayCoding
public import FaradayCore

/// A JSON document that is not valid HAL, and the position of the error. It quotes no value.
public struct MalformedHAL: FaradayError, Equatable {
  /// The path of the error: `_links.next[1].href`; empty for the whole document. At most 1 KiB, as the names come from the
  /// server.
  public let path: String
  /// What is wrong: `it is missing`.
  public let reason: String

  init(path: String, reason: String) {
    self.path = path.bounded()
    self.reason = reason
  }

  /// The same error, with the path extended by a parent.
  func inside(_ name: String) -> MalformedHAL {
    MalformedHAL(path: path.isEmpty || path.hasPrefix("[") ? name + path : name + "." + path, reason: reason)
  }

  public var description: String { "not HAL\(path.isEmpty ? "" : " at \(path)"): \(reason)" }
}

extension MalformedHAL: LocatedError {}
