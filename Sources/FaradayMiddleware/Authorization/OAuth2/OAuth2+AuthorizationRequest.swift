public import FaradayCore
internal import FaradaySupport

extension OAuth2 {
  /// A request for a user's authorization in a browser, with PKCE (RFC 6749, section 4.1; RFC 7636; RFC 9700).
  ///
  ///     let authorization = OAuth2.AuthorizationRequest(url, clientID: "app", redirectURI: "http://127.0.0.1:8080/done", scope: "read")
  ///     open(authorization.url)                             // in a browser; then the server redirects it to `redirectURI`
  ///     let grant = try authorization.grant(from: callback)
  ///     connection.use(.oauth2(tokenURL: tokenURL, client: client, grant: grant, over: Connection(adapter: CurlAdapter())))
  ///
  /// Use each value for one authorization: it has a random `state` and a random code verifier of 256 bits each. No description
  /// shows them. This type does not send requests.
  public struct AuthorizationRequest: Sendable {
    /// The URL for the browser. It contains the code challenge (`S256`), not the verifier.
    public let url: URL
    private let redirectURI: String?
    private let issuer: String?
    private let state: String
    private let verifier: String

    /// - Parameters:
    ///   - authorizationURL: the authorization endpoint; its own query is kept.
    ///   - clientID: the client's identifier.
    ///   - redirectURI: the URL to which the server redirects the browser; nil for the URL that is registered for the client.
    ///   - scope: the requested scopes, separated by spaces; nil requests the default of the server.
    ///   - issuer: the identifier of the authorization server. If it is set, the callback must contain it (RFC 9207), which
    ///     protects a client of several servers. Nil by default: not compared.
    ///   - parameters: further parameters, such as `prompt`.
    public init(
      _ authorizationURL: URL, clientID: String, redirectURI: String? = nil, scope: String? = nil, issuer: String? = nil,
      parameters: QueryParameters = [:]
    ) {
      (self.redirectURI, self.issuer) = (redirectURI, issuer)
      (state, verifier) = (Self.random(), Self.random())
      var query: QueryParameters = ["response_type": "code", "client_id": clientID]
      if let redirectURI { query.append(name: "redirect_uri", value: redirectURI) }
      if let scope { query.append(name: "scope", value: scope) }
      query.append(name: "state", value: state)
      query.append(name: "code_challenge", value: Self.base64URL(SHA256.hash(verifier.utf8)))
      query.append(name: "code_challenge_method", value: "S256")
      var request = Request(url: authorizationURL)
      request.query.items += query.items + parameters.items
      url = request.url
    }

    /// Returns the grant from the URL to which the browser was redirected.
    ///
    /// Throws ``OAuth2Error``: ``OAuth2Error/Reason/refused(code:detail:)`` if the user or the server denies access
    /// (`access_denied`), and ``OAuth2Error/Reason/invalidCallback`` if the URL does not belong to this request: it has a
    /// different `state` or issuer, no code, or a duplicate parameter.
    public func grant(from callback: URL) throws(OAuth2Error) -> Grant {
      let query = Request(url: callback).query
      let value = { (name: String) in query.values(name).first ?? nil }
      let failure = { (reason: OAuth2Error.Reason) in OAuth2Error(reason: reason, request: nil) }
      let isRepeated = ["state", "iss", "error", "code"].contains { query.values($0).count > 1 }
      guard !isRepeated, value("state") == state, issuer == nil || value("iss") == issuer else { throw failure(.invalidCallback) }
      if let code = value("error") {
        let detail = value("error_description")?.escapingControls().bounded(to: 256)
        throw failure(.refused(code: code.escapingControls().bounded(to: 64), detail: detail))
      }
      guard let code = value("code"), !code.isEmpty else { throw failure(.invalidCallback) }
      return .authorizationCode(code, redirectURI: redirectURI, verifier: verifier)
    }

    /// Returns 256 random bits as 43 characters.
    private static func random() -> String {
      var generator = SystemRandomNumberGenerator()
      return base64URL((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    /// Base 64 for URLs, without padding (RFC 4648, section 5).
    private static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
      String(
        Data(bytes).base64EncodedString().compactMap { character -> Character? in
          switch character {
          case "+": "-"
          case "/": "_"
          case "=": nil
          default: character
          }
        })
    }
  }
}

extension OAuth2.AuthorizationRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The endpoint's URL without its query.
  public var description: String { String(url.absoluteString.prefix { $0 != "?" }).bounded() }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
