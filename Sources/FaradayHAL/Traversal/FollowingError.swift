public import FaradayCore

/// A relation that could not be followed. What it says of itself has no secret in it; its ``response`` is as it came.
public struct FollowingError: FaradayError, CustomReflectable {
  public enum Reason: Sendable, Hashable {
    /// The representation has nothing under the relation; it has these.
    case missingRelation(present: [String])
    /// The link is a template, and none of its variables has a value. An empty list is a value that leaves nothing behind.
    case templated(variables: [String])
    /// The link says that it is a template, and is none, or not for these values.
    case invalidTemplate(URITemplateError)
    /// The link is no URL.
    case invalidLink
    /// The link led to a response that is not 2xx.
    case status(HTTPResponse.Status)
    /// The link led to something else: what is wrong with it.
    case notHAL(String)
  }

  public let reason: Reason
  /// The relation that was followed; nil for the first representation of all if no link led there.
  public let relation: String?
  /// Where the response came from that holds what is wrong: the representation with the link or, if the link led to what is no
  /// representation, that. Without user, password and fragment, and with a mark for the values of secret query items.
  public let url: String
  /// What the link led to, if it led to something.
  public let response: Response?
  /// What had been fetched until then, or was embedded in it, the first one first.
  public let representations: [Representation]

  public var isTransient: Bool { response?.status.isTransient ?? false }
  public var request: RequestSummary? { RequestSummary(method: .get, url: url) }
  public var customMirror: Mirror { Mirror(self, children: [:]) }

  /// Four kibibytes at most: a server says what the relations are, and what a template is.
  public var description: String { text.bounded(to: 4096) }

  private var text: String {
    let rel = relation.map { $0.debugDescription }
    switch reason {
    case .missingRelation(let present):
      let names = present.isEmpty ? "none" : present.map(\.debugDescription).joined(separator: ", ")
      return "\(url): there is no relation \(rel ?? ""); there is \(names)"
    case .templated(let variables):
      return "\(url): the link \(rel ?? "") is a template, and none of its variables has a value: "
        + variables.joined(separator: ", ")
    case .invalidTemplate(let error): return "\(url): the link \(rel ?? ""): \(error)"
    case .invalidLink: return "\(url): the link \(rel ?? "") is no URL"
    case .status(let status): return "\(url): unexpected status \(status.code)" + (rel.map { " for the relation \($0)" } ?? "")
    case .notHAL(let what): return "\(url): no HAL" + (rel.map { " for the relation \($0)" } ?? "") + ": \(what)"
    }
  }
}
