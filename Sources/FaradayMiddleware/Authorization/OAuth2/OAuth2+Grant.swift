internal import FaradayCore

extension OAuth2 {
  /// The grant that a client presents to get a token. No description shows a secret.
  public enum Grant: Sendable, Hashable {
    /// The client's own credentials (RFC 6749, section 4.4).
    case clientCredentials
    /// A refresh token from a user's authorization (section 6).
    case refreshToken(String)
    /// A user's name and password (section 4.3). Only for servers that support no other grant: the client sees the password
    /// (RFC 9700, section 2.4).
    case password(user: String, password: String)
    /// The code from a user's authorization (section 4.1.3). It can be used once. ``AuthorizationRequest/grant(from:)`` returns
    /// it.
    ///
    /// - Parameters:
    ///   - redirectURI: the redirect URI of the authorization request; nil if it had none.
    ///   - verifier: the code verifier (RFC 7636); nil if the authorization request had no challenge.
    case authorizationCode(String, redirectURI: String?, verifier: String?)
  }
}

extension OAuth2.Grant {
  /// Whether the grant can get more than one token.
  var isReusable: Bool {
    switch self {
    case .clientCredentials, .password: true
    case .refreshToken, .authorizationCode: false
    }
  }

  /// Whether a refresh token that the endpoint returns is used.
  var mayGetRefreshToken: Bool { self != .clientCredentials }

  var refreshToken: String? { if case .refreshToken(let token) = self { token } else { nil } }

  /// The parameters of the token request.
  var parameters: QueryParameters {
    switch self {
    case .clientCredentials: return ["grant_type": "client_credentials"]
    case .refreshToken(let token): return ["grant_type": "refresh_token", "refresh_token": token]
    case .password(let user, let password): return ["grant_type": "password", "username": user, "password": password]
    case .authorizationCode(let code, let redirectURI, let verifier):
      var parameters: QueryParameters = ["grant_type": "authorization_code", "code": code]
      if let redirectURI { parameters.append(name: "redirect_uri", value: redirectURI) }
      if let verifier { parameters.append(name: "code_verifier", value: verifier) }
      return parameters
    }
  }

  var secrets: [String] {
    switch self {
    case .clientCredentials: []
    case .refreshToken(let token): [token]
    case .password(_, let password): [password]
    case .authorizationCode(let code, _, let verifier): [code, verifier ?? ""]
    }
  }
}

extension OAuth2.Grant: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The value of `grant_type`.
  public var description: String {
    switch self {
    case .clientCredentials: "client_credentials"
    case .refreshToken: "refresh_token"
    case .password: "password"
    case .authorizationCode: "authorization_code"
    }
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
