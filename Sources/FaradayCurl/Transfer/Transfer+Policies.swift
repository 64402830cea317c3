internal import CCurl
internal import FaradayCore

/// What the options say of a connection: the address policy, challenges that libcurl answers, trailers.
extension Transfer {
  // MARK: the address policy

  /// Whether libcurl may open a socket to the address.
  func mayConnect(to address: UnsafeMutablePointer<curl_sockaddr>) -> Bool {
    guard maySendNow() else { return false }
    guard hasAddressPolicy else { return true }
    var bytes = [UInt8](repeating: 0, count: 16)
    var port: Int32 = 0
    let count = Int(faraday_address(address, &bytes, &port))
    let refused = count > 0 ? refusal(of: IPAddress(bytes: bytes[..<count]), Int(port)) : unixSocketRefused
    // Others of the name's addresses may be allowed: it is no error yet.
    if let refused { attempt.refusedAddress = refused }
    return refused == nil
  }

  /// Whether the connection that is ready may be used: a kept one may have been made under another policy.
  func mayUse(_ remote: UnsafePointer<CChar>?, _ port: Int32) -> Bool {
    guard hasAddressPolicy else { return true }
    let address = remote.flatMap { IPAddress(String(cString: $0)) }
    guard let refused = address.map({ refusal(of: $0, Int(port)) }) ?? unixSocketRefused else { return true }
    failure = forbidden(refused)
    return false
  }

  /// The error if a policy forbids the request's Unix socket or its proxy.
  var refusalByPolicy: TransportError? {
    guard hasAddressPolicy else { return nil }
    if let proxy, !policies.allSatisfy({ $0?.allowsProxies ?? true }) { return forbidden(ForbiddenAddress(proxy: proxy)) }
    guard request.options.transport?.fields.network.unixSocket != nil else { return nil }
    return unixSocketRefused.map(forbidden)
  }

  private var unixSocketRefused: ForbiddenAddress? {
    policies.allSatisfy { $0?.allowsUnixSockets ?? true } ? nil : ForbiddenAddress(address: nil, port: 0, range: nil)
  }

  func forbidden(_ address: ForbiddenAddress) -> TransportError {
    error(.addressForbidden, address.description, phase: .connecting, underlying: address)
  }

  private var policies: [AddressPolicy?] { [settings.addressPolicy, request.options.transport?.fields.addressPolicy] }

  private var hasAddressPolicy: Bool {
    settings.addressPolicy != nil || request.options.transport?.fields.addressPolicy != nil
  }

  private func refusal(of address: IPAddress, _ port: Int) -> ForbiddenAddress? {
    policies.lazy.compactMap { $0?.refusal(of: address, port: port) }.first
  }

  // MARK: the server's certificates

  /// Decides about the server's certificates; nil without TLS.
  var verifier: CertificateVerifier? { target.isSecure ? request.options.transport?.fields.tls.verifier : nil }

  /// The peer has sent its certificates. Returns whether the handshake may go on.
  func accepts(_ certificates: [Data], in store: UnsafeMutableRawPointer?) -> Bool {
    let tls = request.options.tls
    if tls.reportsPeerCertificates { attempt.certificates = certificates }
    guard let verifier else { return OpenSSL.verify(store) }
    if tls.verifiesCertificate {
      guard OpenSSL.verify(store) else { return false }
    }
    let host = target.endpoint.host
    let isAccepted = verifier.accepts(certificates, host: host)
    callbackReturned()
    attempt.isAcceptedByVerifier = isAccepted
    // Without a verification of the chain there is no result yet.
    if !isAccepted || !tls.verifiesCertificate { OpenSSL.setResult(store, isAccepted: isAccepted) }
    if !isAccepted {
      failure = error(
        .tlsVerificationFailed, "`options.tls.verifier` refused the certificates of \(host.bounded())", phase: .tls)
    }
    return isAccepted
  }

  // MARK: challenges

  /// Whether libcurl may answer a response with this status by sending the request again, with credentials.
  func mayAnswer(_ status: Int) -> Bool {
    switch status {
    case 401: request.options.transport?.fields.authentication != nil
    case 407: proxy?.user != nil && isForwarded
    // The server does not challenge: libcurl sends the request again, with its body.
    case 200..<300: holdsBodyBack && !request.body.isEmpty && !attempt.hasAskedForBody && sentBody == attempt.bodyBeforeLeg
    default: false
    }
  }

  /// Notes that libcurl asks for a part of the body: it has not held the body back. A successful response that waits for that is
  /// delivered. Returns false to abort.
  func noteBodyIsSent() -> Bool {
    attempt.hasAskedForBody = true
    guard isChallenge, parser.status < 300 else { return true }
    isChallenge = false
    return beginResponse()
  }

  /// Whether the response is to a first request without its body, which libcurl has held back.
  var isWithoutBody: Bool { isChallenge && parser.status < 300 && attempt.legs == 0 }

  /// Whether libcurl holds the body back for the server's scheme. If it does so only for the proxy's, it does not send the body after
  /// a response without a challenge.
  var holdsBodyBackForServer: Bool {
    request.options.transport?.fields.authentication.map { Self.holdingBack.contains($0.schemes) } ?? false
  }

  /// What libcurl has sent of the body, in bytes.
  private var sentBody: Int64 { easy?.get(offset: CURLINFO_SIZE_UPLOAD_T) ?? 0 }

  /// Whether libcurl may send the request several times, to answer challenges.
  var answersChallenges: Bool { hasSchemes { _ in true } }

  /// Whether libcurl may hold the body back from a request of the exchange, as it expects a challenge.
  var mayHoldBodyBack: Bool { hasSchemes { !$0.isDisjoint(with: [.digest, .ntlm, .negotiate]) } }

  /// Whether libcurl may have held the body back from the last request. With several schemes it sends the first one whole.
  private var holdsBodyBack: Bool {
    attempt.legs > 0 ? mayHoldBodyBack : hasSchemes { Self.holdingBack.contains($0) }
  }

  /// Whether that holds for the schemes of the request or of the proxy that it is sent to.
  private func hasSchemes(_ condition: (AuthenticationSchemes) -> Bool) -> Bool {
    if let own = request.options.transport?.fields.authentication?.schemes, mayUse(own), condition(own) { return true }
    guard isForwarded, let proxy, proxy.user != nil, mayUse(proxy.authentication) else { return false }
    return condition(proxy.authentication)
  }

  /// Whether libcurl may use the schemes in this attempt: see ``Restart/withoutChallenge``.
  func mayUse(_ schemes: AuthenticationSchemes) -> Bool {
    !pastRestarts.contains(.withoutChallenge) || !Self.holdingBack.contains(schemes)
  }

  /// The schemes for which libcurl holds the body back from the first request.
  private static let holdingBack: [AuthenticationSchemes] = [.digest, .ntlm, .negotiate]

  /// The maximum number of challenges of one request: libcurl has no limit. NTLM needs two, a stale nonce one more.
  private static let maximumLegs = 10

  /// libcurl answers the challenge: another response follows, and perhaps another connection.
  func beginNextLeg() {
    isChallenge = false
    attempt.legs += 1
    attempt.bodyBeforeLeg = sentBody
    attempt.hasAskedForBody = false
    attempt.isTunnelling = needsTunnel
    attempt.challenged = connection?.endpoints ?? attempt.challenged
    attempt.began = Clock.now
    if attempt.legs > Self.maximumLegs {
      _ = stop(.malformedResponse, "the server challenged the request more than \(Self.maximumLegs) times")
    }
    attempt.isReady = false
    parser = ResponseParser(to: request.method, request.headers)
    firstByte = 0
    receiving = .flowing
    engine?.updateDeadline(of: self)
  }

  // MARK: trailers

  /// The trailers of the request as lines of C; nil if one of them must not be sent.
  func trailerLines() -> [[CChar]]? {
    guard let requestTrailers = request.options.requestTrailers else { return [] }
    attempt.hasSentTrailers = true
    let fields = requestTrailers()
    callbackReturned()
    if let field = fields.first(where: { !$0.isSendable }) {
      _ = stop(.invalidHeader, "the trailer \(field.unsendableReason)")
      return nil
    }
    return fields.map { $0.line(blank: ": ") }
  }
}

extension TraceEvent.Kind {
  /// Nil for the bytes of TLS records, which nobody reads.
  init?(_ kind: curl_infotype) {
    switch kind {
    case CURLINFO_TEXT: self = .text
    case CURLINFO_HEADER_IN: self = .headerIn
    case CURLINFO_HEADER_OUT: self = .headerOut
    case CURLINFO_DATA_IN: self = .dataIn
    case CURLINFO_DATA_OUT: self = .dataOut
    default: return nil
    }
  }
}
