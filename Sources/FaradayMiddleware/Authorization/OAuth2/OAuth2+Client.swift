public import FaradayCore

extension OAuth2 {
  /// A client of an authorization server: its identifier and secret. No description shows the secret.
  public struct Client: Sendable, Hashable {
    /// The way in which a client authenticates to the token endpoint (RFC 6749, section 2.3.1).
    public enum Authentication: Sendable, Hashable {
      /// In the `Authorization` field, as every server must support. Identifier and secret are percent-encoded first.
      case basic
      /// As `client_id` and `client_secret` in the form.
      case body
    }

    /// The identifier.
    public var id: String
    /// The secret; nil for a public client, which sends its identifier in the form.
    public var secret: String?
    /// The method that sends both: ``Authentication/basic`` by default.
    public var authentication: Authentication

    /// Creates a client with a secret, or a public client.
    public init(id: String, secret: String?, authentication: Authentication = .basic) {
      self.id = id
      self.secret = secret
      self.authentication = authentication
    }
  }

  /// An access token with its expiry and refresh token. No description shows either.
  public struct Token: Sendable, Hashable, Codable {
    /// The access token.
    public var accessToken: String
    /// The expiry date; nil if the server did not return one.
    public var expires: Date?
    /// The refresh token; nil if there is none.
    public var refreshToken: String?
    /// The granted scopes, separated by spaces; nil if they equal the requested ones.
    public var scope: String?

    /// Creates a token, for instance from storage.
    public init(accessToken: String, expires: Date? = nil, refreshToken: String? = nil, scope: String? = nil) {
      self.accessToken = accessToken
      self.expires = expires
      self.refreshToken = refreshToken
      self.scope = scope
    }
  }
}

extension OAuth2.Client: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The identifier and ``FaradayCore/Secrets/mark``.
  public var description: String { "\(id.escapingControls().bounded(to: 128)) \(Secrets.mark)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension OAuth2.Token: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// ``FaradayCore/Secrets/mark``.
  public var description: String { Secrets.mark }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A failure to get a token. The error contains neither tokens nor the client's secret.
public struct OAuth2Error: FaradayError, Hashable {
  /// The reason why there is no token.
  public enum Reason: Sendable, Hashable {
    /// The endpoint is not `https`, and `allowsCleartextEndpoint` is false. Nothing was sent.
    case insecureEndpoint
    /// The endpoint returned an error of RFC 6749, section 5.2: `invalid_grant`, `invalid_client` and others, whatever its
    /// status.
    ///
    /// - Parameters:
    ///   - code: the error code.
    ///   - detail: the server's `error_description`, without the secrets that were sent; nil if there is none.
    case refused(code: String, detail: String?)
    /// The response has a status other than 200, and no error code.
    case unexpectedStatus(Int)
    /// The response is not a JSON object with an `access_token` that can be sent.
    case malformedResponse
    /// The token is not a bearer token.
    case unsupportedTokenType(String)
    /// The token has expired or was rejected, there is no refresh token, and the authorization code has been used: the user
    /// must authorize the client again.
    case authorizationExpired
    /// The URL of a callback does not belong to the authorization request: its `state` or issuer differs, or it has no code.
    case invalidCallback
  }

  /// The reason why there is no token.
  public let reason: Reason
  /// The token request.
  public let request: RequestSummary?

  /// Whether the endpoint returned one of the status codes 408, 429, 502, 503 and 504, or the error `temporarily_unavailable`
  /// or `server_error`.
  public var isTransient: Bool {
    switch reason {
    case .unexpectedStatus(let code): HTTPResponse.Status.transientCodes.contains(code)
    case .refused(let code, _): ["temporarily_unavailable", "server_error"].contains(code)
    default: false
    }
  }

  public var description: String {
    switch reason {
    case .insecureEndpoint: naming("no token was requested: the endpoint is not https")
    case .refused(let code, let detail): naming("the authorization server refused: \(code)" + (detail.map { " (\($0))" } ?? ""))
    case .unexpectedStatus(let code): naming("unexpected status \(code) of the token endpoint")
    case .malformedResponse: naming("the token endpoint's response is not a token")
    case .unsupportedTokenType(let type): naming("the token's type is \(type), not Bearer")
    case .authorizationExpired:
      naming("the authorization has expired, and there is no refresh token: the user must authorize again")
    case .invalidCallback:
      naming("the callback does not belong to the authorization request: its state, issuer or code is wrong or missing")
    }
  }
}
