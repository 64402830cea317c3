internal import FaradayCoding
public import FaradayCore

/// The error of a link relation that could not be followed, or of a JSON document that is not valid HAL. Its description
/// contains no secrets and no values of the document; its ``response`` is unredacted.
public struct HALError: FaradayError, CustomReflectable {
  /// The reason of the error.
  public enum Reason: Sendable, Hashable {
    /// The representation has no link or embedded representation of that relation; it has these relations.
    case missingRelation(present: [String])
    /// The link is a URI template, and no variable of it has a value. An empty array counts as a value.
    case templated(variables: [String])
    /// The link's URI template is malformed, or cannot be expanded with these values.
    case invalidTemplate(URITemplateError)
    /// The link is not a valid URL.
    case invalidLink
    /// The response has a status other than 2xx.
    case status(HTTPResponse.Status)
    /// The document is not valid HAL: the path of the invalid value, `_links.next[1].href`, which is empty for the whole
    /// document and has at most 1 KiB, and the problem, `it is missing`.
    case notHAL(path: String, problem: String)
  }

  /// The reason of the error.
  public let reason: Reason
  /// The relation that was followed; nil for the first representation, if no link led to it, and for a document.
  public let relation: String?
  /// The redacted URL of the response with the error: the response with the link, or the response of the link's target.
  /// Nil for a document.
  public let url: String?
  /// The response of the link's target, if there was one.
  public let response: Response?
  /// The representations before the error, in order.
  public let representations: [Representation]

  init(
    reason: Reason, relation: String?, url: String, response: Response?, representations: [Representation]
  ) {
    self.reason = reason
    self.relation = relation
    self.url = url
    self.response = response
    self.representations = representations
  }

  init(_ problem: HALProblem) {
    reason = .notHAL(path: problem.path, problem: problem.reason)
    (relation, url, response, representations) = (nil, nil, nil, [])
  }

  /// Whether the response has a transient status.
  public var isTransient: Bool { response?.status.isTransient ?? false }
  /// The GET request for ``url``.
  public var request: RequestSummary? { url.map { RequestSummary(method: .get, url: $0) } }
  public var customMirror: Mirror { Mirror(self, children: [:]) }

  /// The description, at most 4 KiB, because relations and templates come from the server.
  public var description: String { text.bounded(to: 4096) }

  private var text: String { (url.map { "\($0): " } ?? "") + explanation }

  private var explanation: String {
    let rel = relation.map { $0.debugDescription }
    switch reason {
    case .missingRelation(let present):
      let names = present.isEmpty ? "none" : present.map(\.debugDescription).joined(separator: ", ")
      return "the relation \(rel ?? "") is missing; present: \(names)"
    case .templated(let variables):
      return "the link \(rel ?? "") is a template, and none of its variables has a value: "
        + variables.joined(separator: ", ")
    case .invalidTemplate(let error): return "the link \(rel ?? ""): \(error)"
    case .invalidLink: return "the link \(rel ?? "") is not a URL"
    case .status(let status): return "unexpected status \(status.code)" + (rel.map { " for the relation \($0)" } ?? "")
    case .notHAL(let path, let problem):
      return "not HAL" + (rel.map { " for the relation \($0)" } ?? "") + (path.isEmpty ? "" : " at \(path)") + ": \(problem)"
    }
  }
}

extension HALError: LocatedError {
  package var location: String { if case .notHAL(let path, _) = reason { path } else { "" } }
  package var problem: String { if case .notHAL(_, let problem) = reason { problem } else { explanation } }
}
