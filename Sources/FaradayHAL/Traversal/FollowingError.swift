public import FaradayCore

/// A link relation that could not be followed. Its description contains no secrets; its ``response`` is unredacted.
public struct FollowingError: FaradayError, CustomReflectable {
  /// Why the relation could not be followed.
  public enum Reason: Sendable, Hashable {
    /// The representation has no link or embedded representation of that relation; it has these relations.
    case missingRelation(present: [String])
    /// The link is a URI template, and none of its variables has a value. An empty array counts as a value.
    case templated(variables: [String])
    /// The link's URI template is malformed, or cannot be expanded with these values.
    case invalidTemplate(URITemplateError)
    /// The link is not a valid URL.
    case invalidLink
    /// The response has a status other than 2xx.
    case status(HTTPResponse.Status)
    /// The response is not valid HAL, with the reason.
    case notHAL(String)
  }

  /// Why the relation could not be followed.
  public let reason: Reason
  /// The relation that was followed; nil for the first representation, if no link led to it.
  public let relation: String?
  /// The redacted URL of the response that contains what is wrong: the representation with the link, or what the link led to.
  public let url: String
  /// The response that the link led to, if there was one.
  public let response: Response?
  /// The representations before the error, in order.
  public let representations: [Representation]

  /// Whether the response has a transient status.
  public var isTransient: Bool { response?.status.isTransient ?? false }
  /// The GET of ``url``.
  public var request: RequestSummary? { RequestSummary(method: .get, url: url) }
  public var customMirror: Mirror { Mirror(self, children: [:]) }

  /// At most 4 KiB, as relations and templates come from the server.
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
