internal import FaradayCore

extension Redirects.Attempt: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `302 to GET https://host/b (2 headers, 0 bytes)`. The redirect's header fields are not shown, because they can set
  /// cookies.
  public var description: String { "\(head.status.code) to \(newRequest)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Retry.Attempt: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `attempt 1, 503: GET https://host/a (2 headers, 0 bytes)`
  public var description: String { "attempt \(number)\(head.map { ", \($0.status.code)" } ?? ""): \(request)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
