internal import FaradayCore

/// Asks a token endpoint for tokens (RFC 6749, sections 4.4.2, 5 and 6).
struct OAuth2TokenEndpoint: Sendable {
  let url: URL
  let client: OAuth2.Client
  let scope: String?
  let parameters: QueryParameters
  let allowsCleartext: Bool
  let connection: Connection
  let leeway: Duration
  let now: @Sendable () -> Date

  /// A new token, and when to renew it.
  func token(by grant: OAuth2.Grant) async throws -> (token: OAuth2.Token, renewal: Date?) {
    let request = try connection.request(.post, url: url, body: .form(form(grant))) { request in
      request.headers[.accept] = "application/json"
      if client.authentication == .basic, let secret = client.secret {
        try request.headers.authorize(
          .basic(user: QueryParameters.encode(client.id), password: QueryParameters.encode(secret)))
      }
      // The secrets are for this URL only.
      request.options.redirectLimit = 0
      request.options.delivery = .buffered
      request.options.onChunk = nil
      request.options.maximumBodySize = 1 << 20
    }
    let failure = { (reason: OAuth2Error.Reason) in OAuth2Error(reason: reason, request: RequestSummary(request)) }
    guard request.isSecure || allowsCleartext else { throw failure(.insecureEndpoint) }
    // Before it is sent: a lifetime that is counted from its arrival would be too long.
    let start = now()
    let response = try await connection.run(request)
    let answer = try? JSONDecoder().decode(Answer.self, from: response.body.data ?? Data())
    // Some servers answer an error with the status 200, and an overload with an error.
    if let answer, let code = answer.error, response.status != .ok || answer.accessToken == nil,
      !HTTPResponse.Status.transientCodes.contains(response.status.code)
    {
      throw failure(.refused(code: shown(code, grant, limit: 64), detail: answer.detail.map { shown($0, grant, limit: 256) }))
    }
    guard response.status == .ok else { throw failure(.unexpectedStatus(response.status.code)) }
    guard let answer, let accessToken = answer.accessToken, Self.isToken(accessToken) else { throw failure(.malformedResponse) }
    // Some servers leave it out.
    let type = answer.tokenType ?? "bearer"
    guard type.lowercased() == "bearer" else { throw failure(.unsupportedTokenType(shown(type, grant, limit: 64))) }
    let expires = answer.lifetime.map { start.addingTimeInterval($0) }
    return (
      OAuth2.Token(
        accessToken: accessToken, expires: expires, refreshToken: answer.refreshToken, scope: answer.scope),
      expires.map { Self.renewal(of: $0, from: start, leeway: leeway) }
    )
  }

  /// When to renew a token: earlier than its end, but not before half of its time, or a short-lived one would be renewed for each
  /// request.
  static func renewal(of expires: Date, from start: Date, leeway: Duration) -> Date {
    let seconds = max(0, Double(leeway.components.seconds) + Double(leeway.components.attoseconds) * 1e-18)
    return expires.addingTimeInterval(-min(seconds, max(0, expires.timeIntervalSince(start) / 2)))
  }

  private func form(_ grant: OAuth2.Grant) -> QueryParameters {
    var form: QueryParameters = ["grant_type": grant.description]
    if case .refreshToken(let token) = grant { form.add("refresh_token", token) }
    if let scope { form.add("scope", scope) }
    if client.authentication == .body || client.secret == nil {
      form.add("client_id", client.id)
      if let secret = client.secret { form.add("client_secret", secret) }
    }
    form.items += parameters.items
    return form
  }

  /// What a server wrote, on one line, without the secrets that were sent to it.
  private func shown(_ text: String, _ grant: OAuth2.Grant, limit: Int) -> String {
    var secrets = [client.secret ?? ""]
    if case .refreshToken(let token) = grant { secrets.append(token) }
    secrets += parameters.items.filter { connection.secrets.contains($0.name) }.compactMap(\.value)
    // The longest first: one may be in another.
    let redacted = secrets.filter { !$0.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }.reduce(text) {
      $0.replacing($1, with: Secrets.mark)
    }
    return redacted.escapingControls().bounded(to: limit)
  }

  /// Whether it can stand in a header field (RFC 6749, appendix A.12).
  private static func isToken(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }

  /// The answer of the endpoint, a token (section 5.1) or an error (section 5.2).
  private struct Answer: Decodable {
    var accessToken: String?
    var tokenType: String?
    /// Seconds, from 0 to a century.
    var lifetime: Double?
    var refreshToken: String?
    var scope: String?
    var error: String?
    var detail: String?

    private enum Key: String, CodingKey {
      case accessToken = "access_token"
      case tokenType = "token_type"
      case lifetime = "expires_in"
      case refreshToken = "refresh_token"
      case scope
      case error
      case detail = "error_description"
    }

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: Key.self)
      // One that is of a wrong type, or null, counts as missing.
      let text = { (key: Key) in try? members.decode(String.self, forKey: key) }
      (accessToken, tokenType, refreshToken) = (text(.accessToken), text(.tokenType), text(.refreshToken))
      (scope, error, detail) = (text(.scope), text(.error), text(.detail))
      // Some servers send the number as a string.
      let seconds = (try? members.decode(Double.self, forKey: .lifetime)) ?? text(.lifetime).flatMap { Double($0) }
      lifetime = seconds.flatMap { $0.isNaN ? nil : min(max($0, 0), 3_155_760_000) }
      if refreshToken?.isEmpty == true { refreshToken = nil }
    }
  }
}
