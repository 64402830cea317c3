public import FaradayCore

/// The error of a mock: a request that it does not expect, a stub or response that was not used, a stub that no request could ever
/// match, or missing TLS.
public struct MockError: FaradayError, Hashable {
  /// The reason of the error.
  public enum Reason: Sendable, Hashable {
    /// The request matches no stub. The stubs in matching order: methods and paths, redacted. The nearest says what differs.
    case unexpectedRequest(stubs: [String])
    /// The stub cannot match, for this reason, and is not added.
    case invalidStub(String)
    /// These stubs or queued responses were not used.
    case unused([String])
    /// A ``MockServer`` cannot use TLS, for this reason.
    case unavailable(String)
  }

  /// The reason of the error.
  public let reason: Reason
  private let summary: RequestSummary?

  /// The error of a request that a mock does not expect.
  ///
  /// - Parameter stubs: the requests that it expects, for the description.
  public init(unexpected request: Request, stubs: [String] = []) {
    reason = .unexpectedRequest(stubs: stubs)
    summary = RequestSummary(request)
  }

  init(_ request: Request, stubs: [MockAdapter.Stub]) {
    let differences = stubs.map { $0.differences(from: request) }
    // None, if a stub that matches is used up.
    let least = differences.compactMap { $0?.count }.min() ?? 0
    let nearest = least == 0 ? nil : differences.firstIndex { $0?.count == least }
    let descriptions = zip(stubs.indices, zip(stubs, differences)).map { index, stub in
      let text = stub.0.description(request.secrets)
      guard index == nearest, let differences = stub.1 else { return text }
      return "\(text) (\(differences.joined(separator: ", ")))"
    }
    self.init(unexpected: request, stubs: descriptions)
  }

  init(unavailable problem: String) {
    reason = .unavailable(problem)
    summary = nil
  }

  init(unused: [String]) {
    reason = .unused(unused)
    summary = nil
  }

  init(invalidStub reason: String, method: HTTPRequest.Method, host: String?, path: String) {
    self.reason = .invalidStub(reason)
    summary = RequestSummary(method: method, url: (host ?? "") + path)
  }

  /// The method and redacted URL of the request, or the method, host and path of the stub.
  public var request: RequestSummary? { summary }

  /// One line with the request and the first twenty stubs.
  public var description: String {
    let request = summary.map { "\($0)" } ?? "a request"
    switch reason {
    case .unavailable(let problem): return problem
    case .unused(let stubs): return "not used: \(stubs.prefix(20).joined(separator: ", "))"
    case .invalidStub(let reason): return "no request can match a stub of \(request): \(reason)"
    case .unexpectedRequest(let stubs):
      let shown = stubs.prefix(20).joined(separator: ", ") + (stubs.count > 20 ? " and \(stubs.count - 20) more" : "")
      return "no stub matches \(request); " + (stubs.isEmpty ? "there are no stubs" : "the stubs are: \(shown)")
    }
  }
}
