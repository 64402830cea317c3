public import FaradayCore

extension OAuth2 {
  /// The data with which a user authorizes a device without a browser (RFC 8628, section 3.2).
  public struct DeviceAuthorization: Sendable, Hashable {
    /// The code that the user types at the URL.
    public let userCode: String
    /// The URL that the user opens on another device.
    public let verificationURL: URL
    /// The verification URL with the code in it, for a QR code; nil if the server does not provide one.
    public let completeVerificationURL: URL?
    /// The time for which the code is valid.
    public let lifetime: Duration
  }

  /// Gets a token with the device authorization grant (RFC 8628), for devices without a browser or a keyboard.
  ///
  ///     let token = try await OAuth2.authorizeDevice(at: deviceURL, tokenURL: tokenURL, client: client, over: connection) { device in
  ///       print("Go to \(device.verificationURL) and enter \(device.userCode)")
  ///     }
  ///     api.use(.oauth2(tokenURL: tokenURL, client: client, grant: .refreshToken(token.refreshToken ?? ""), token: token, over: connection))
  ///
  /// It shows the code, and polls the token endpoint until the user agrees: every 5 seconds or at the server's interval. Each
  /// `slow_down` response adds 5 seconds to the interval. A request that fails with a transient error is retried at twice the
  /// interval. If the task is cancelled, it throws `CancellationError`.
  ///
  /// Throws ``OAuth2Error``: ``OAuth2Error/Reason/refused(code:detail:)`` with `access_denied` if the user does not agree, and
  /// with `expired_token` if the code has expired. Also throws the errors of `show` and of the connection.
  ///
  /// - Parameters:
  ///   - deviceURL: the device authorization endpoint.
  ///   - tokenURL: the token endpoint. Both must be `https` unless `allowsCleartextEndpoint` is true.
  ///   - clock: the clock for the interval and the lifetime.
  ///   - show: called once, with the data for the user.
  public static func authorizeDevice(
    at deviceURL: URL, tokenURL: URL, client: Client, scope: String? = nil, parameters: QueryParameters = [:],
    allowsCleartextEndpoint: Bool = false, over connection: Connection, clock: any Clock<Duration> = .continuous,
    now: @escaping @Sendable () -> Date = { Date() }, show: (DeviceAuthorization) async throws -> Void
  ) async throws -> Token {
    let endpoint = OAuth2TokenEndpoint(
      url: tokenURL, client: client, scope: scope, parameters: parameters, allowsCleartext: allowsCleartextEndpoint,
      connection: connection, leeway: .zero, now: now)
    return try await endpoint.authorizeDevice(at: deviceURL, clock: clock, show: show)
  }
}

extension OAuth2TokenEndpoint {
  fileprivate func authorizeDevice<C: Clock<Duration>>(
    at deviceURL: URL, clock: C, show: (OAuth2.DeviceAuthorization) async throws -> Void
  ) async throws -> OAuth2.Token {
    let clientID: QueryParameters = client.secret == nil || client.authentication == .body ? [:] : ["client_id": client.id]
    let began = clock.now
    let (answer, request) = try await post(scoped(clientID), to: deviceURL, as: DeviceAnswer.self, secrets: [])
    guard let code = answer.deviceCode, let device = answer.authorization else {
      throw OAuth2Error(reason: .malformedResponse, request: RequestSummary(request))
    }
    try await show(device)
    let grant: QueryParameters = [
      "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": code,
    ]
    var interval = answer.interval
    while true {
      try await clock.sleep(for: interval)
      guard began.duration(to: clock.now) < device.lifetime else {
        throw OAuth2Error(reason: .refused(code: "expired_token", detail: nil), request: RequestSummary(request))
      }
      do {
        return try await token(grant, secrets: [code]).token
      } catch let error as OAuth2Error {
        switch error.reason {
        case .refused("authorization_pending", _): continue
        case .refused("slow_down", _): interval += .seconds(5)
        case _ where error.isTransient: interval *= 2
        default: throw error
        }
      } catch let error as any FaradayError where error.isTransient {
        interval *= 2
      }
    }
  }

  /// The response of the device authorization endpoint (RFC 8628, section 3.2).
  private struct DeviceAnswer: OAuth2Answer {
    let deviceCode: String?
    let authorization: OAuth2.DeviceAuthorization?
    let interval: Duration
    let error: String?
    let detail: String?

    var isComplete: Bool { deviceCode != nil && authorization != nil }

    init(from decoder: any Decoder) throws {
      let members = try OAuth2Members(decoder)
      deviceCode = members["device_code"]
      (error, detail) = (members["error"], members["error_description"])
      interval = .seconds(min(max(members.seconds("interval") ?? 5, 1), 3600))
      // Some servers use the member name of the draft.
      let url = (members["verification_uri"] ?? members["verification_url"]).flatMap(Self.webURL)
      authorization = members["user_code"].flatMap { code in
        url.map { url in
          OAuth2.DeviceAuthorization(
            userCode: code.escapingControls().bounded(to: 64), verificationURL: url,
            completeVerificationURL: members["verification_uri_complete"].flatMap(Self.webURL),
            lifetime: .seconds(min(max(members.seconds("expires_in") ?? 600, 1), 86_400)))
        }
      }
    }

    /// A program may open the URL: only the schemes of the web are accepted.
    private static func webURL(_ text: String) -> URL? {
      URL(text: text).flatMap { ["http", "https"].contains($0.scheme?.lowercased()) ? $0 : nil }
    }
  }
}
