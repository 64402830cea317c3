internal import FaradayCore

/// A client of a token endpoint (RFC 6749, sections 4.1.3, 4.3.2, 4.4.2, 5 and 6).
struct OAuth2TokenEndpoint: Sendable {
  let url: URL
  let client: OAuth2.Client
  let scope: String?
  let parameters: QueryParameters
  let allowsCleartext: Bool
  let connection: Connection
  let leeway: Duration
  let now: @Sendable () -> Date

  /// Gets a new token, and computes when to renew it.
  func token(by grant: OAuth2.Grant) async throws -> (token: OAuth2.Token, renewal: Date?) {
    try await token(scoped(grant.parameters), secrets: grant.secrets)
  }

  /// Gets a new token with a refresh token that this endpoint has issued. Without the configured scope, because the endpoint can have
  /// granted a smaller one (RFC 6749, section 6).
  func token(byStored refreshToken: String) async throws -> (token: OAuth2.Token, renewal: Date?) {
    let grant = OAuth2.Grant.refreshToken(refreshToken)
    return try await token(grant.parameters, secrets: grant.secrets)
  }

  /// The parameters with the configured scope.
  func scoped(_ grant: QueryParameters) -> QueryParameters {
    var grant = grant
    if let scope { grant.append(name: "scope", value: scope) }
    return grant
  }

  /// Gets a new token, and computes when to renew it.
  ///
  /// - Parameters:
  ///   - grant: `grant_type` and its parameters.
  ///   - secrets: the secrets of the grant, which no error shows.
  func token(_ grant: QueryParameters, secrets: [String]) async throws -> (token: OAuth2.Token, renewal: Date?) {
    // Before the request is sent: a lifetime that starts at the arrival of the token would be too long.
    let start = now()
    let (answer, request) = try await post(grant, to: url, as: Answer.self, secrets: secrets)
    let failure = { (reason: OAuth2Error.Reason) in OAuth2Error(reason: reason, request: RequestSummary(request)) }
    guard let accessToken = answer.accessToken, Self.isToken(accessToken) else { throw failure(.malformedResponse) }
    // Some servers omit the token type.
    let type = answer.tokenType ?? "bearer"
    guard type.lowercased() == "bearer" else { throw failure(.unsupportedTokenType(shown(type, secrets, limit: 64))) }
    let expires = answer.lifetime.map { start.addingTimeInterval($0) }
    return (
      OAuth2.Token(
        accessToken: accessToken, expires: expires, refreshToken: answer.refreshToken, scope: answer.scope),
      expires.map { Self.renewal(of: $0, from: start, leeway: leeway) }
    )
  }

  /// Posts a form with the client's credentials, the scope and the further parameters, and decodes the response. Throws
  /// ``OAuth2Error`` if the response is an error, or not JSON.
  func post<Answer: OAuth2Answer>(
    _ grant: QueryParameters, to url: URL, as type: Answer.Type, secrets: [String]
  ) async throws -> (Answer, Request) {
    let request = try connection.request(.post, url, body: .form(form(grant))) { request in
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
    let response = try await connection.send(request)
    let answer = try? JSONDecoder().decode(Answer.self, from: response.body.data ?? Data())
    // Some servers return an error with status 200, and report an overload as an error.
    if let answer, let code = answer.error, response.status != .ok || !answer.isComplete,
      !HTTPResponse.Status.transientCodes.contains(response.status.code)
    {
      let shownCode = Self.errorCodes.contains(code) ? code : shown(code, secrets, limit: 64)
      throw failure(.refused(code: shownCode, detail: answer.detail.map { shown($0, secrets, limit: 256) }))
    }
    guard response.status == .ok else { throw failure(.unexpectedStatus(response.status.code)) }
    guard let answer, answer.isComplete else { throw failure(.malformedResponse) }
    return (answer, request)
  }

  /// Computes when to renew a token: before it expires, but not before half of its lifetime. Otherwise a short-lived token
  /// would be renewed for each request.
  static func renewal(of expires: Date, from start: Date, leeway: Duration) -> Date {
    let seconds = max(0, Double(leeway.components.seconds) + Double(leeway.components.attoseconds) * 1e-18)
    return expires.addingTimeInterval(-min(seconds, max(0, expires.timeIntervalSince(start) / 2)))
  }

  private func form(_ grant: QueryParameters) -> QueryParameters {
    var form = grant
    if client.authentication == .body || client.secret == nil {
      form.append(name: "client_id", value: client.id)
      if let secret = client.secret { form.append(name: "client_secret", value: secret) }
    }
    form.items += parameters.items
    return form
  }

  /// The registered error codes (RFC 6749, section 5.2; RFC 8628, section 3.5). They are compared with, so they are not redacted: a
  /// secret such as `grant` would hide `invalid_grant`.
  private static let errorCodes: Set = [
    "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
    "access_denied", "server_error", "temporarily_unavailable", "authorization_pending", "slow_down", "expired_token",
  ]

  /// Returns a server's text on one line, without the secrets that were sent to the server.
  private func shown(_ text: String, _ secrets: [String], limit: Int) -> String {
    let sent =
      [client.secret ?? ""] + secrets + parameters.items.filter { connection.secrets.contains($0.name) }.compactMap(\.value)
    // The longest first: a secret can contain another one.
    let redacted = sent.filter { !$0.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }.reduce(text) {
      $0.replacing($1, with: Secrets.mark)
    }
    return redacted.escapingControls().bounded(to: limit)
  }

  /// Whether the token is valid in a header field (RFC 6749, appendix A.12).
  private static func isToken(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }

  /// The response of the token endpoint: a token (section 5.1) or an error (section 5.2).
  private struct Answer: OAuth2Answer {
    let accessToken: String?
    let tokenType: String?
    /// The lifetime in seconds, from 0 to a century.
    let lifetime: Double?
    let refreshToken: String?
    let scope: String?
    let error: String?
    let detail: String?

    var isComplete: Bool { accessToken != nil }

    init(from decoder: any Decoder) throws {
      let members = try OAuth2Members(decoder)
      (accessToken, tokenType) = (members["access_token"], members["token_type"])
      (scope, error, detail) = (members["scope"], members["error"], members["error_description"])
      lifetime = members.seconds("expires_in").map { min(max($0, 0), 3_155_760_000) }
      refreshToken = members["refresh_token"].flatMap { $0.isEmpty ? nil : $0 }
    }
  }
}

/// The JSON response of an OAuth 2 endpoint.
protocol OAuth2Answer: Decodable {
  var error: String? { get }
  var detail: String? { get }
  /// Whether the response has all members of a success.
  var isComplete: Bool { get }
}

/// The members of a response. A member of another type, or null, counts as missing.
struct OAuth2Members {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private let members: KeyedDecodingContainer<Key>

  init(_ decoder: any Decoder) throws { members = try decoder.container(keyedBy: Key.self) }

  subscript(name: String) -> String? { try? members.decode(String.self, forKey: Key(stringValue: name)) }

  /// A number. Some servers send it as a string.
  func seconds(_ name: String) -> Double? {
    let number = (try? members.decode(Double.self, forKey: Key(stringValue: name))) ?? self[name].flatMap { Double($0) }
    return number.flatMap { $0.isNaN ? nil : $0 }
  }
}
