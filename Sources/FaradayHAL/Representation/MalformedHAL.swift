internal import FaradayCoding
public import FaradayCore

/// A document that is no HAL, and the place in it that is not. It quotes no value.
public struct MalformedHAL: FaradayError, Equatable {
  /// `_links.next[1].href`; empty for the whole. At most a kibibyte of it, as a document's names are as long as a server likes.
  public let path: String
  /// `it is missing`
  public let reason: String

  init(path: String, reason: String) {
    self.path = path.bounded()
    self.reason = reason
  }

  /// The same, seen from further out.
  func inside(_ name: String) -> MalformedHAL {
    MalformedHAL(path: path.isEmpty || path.hasPrefix("[") ? name + path : name + "." + path, reason: reason)
  }

  public var description: String { "not HAL\(path.isEmpty ? "" : " at \(path)"): \(reason)" }
}

extension MalformedHAL: LocatedError {}
