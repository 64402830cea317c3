@_spi(Adapters) internal import FaradayCore

/// The challenges (401, 407) that libcurl responds to automatically during an attempt, with the credentials of
/// ``TransportAuthentication`` or of the proxy. libcurl then sends the request again: each time is a leg of the attempt. For
/// some schemes it holds the body back from the first leg.
struct Challenges {
  /// The maximum number of challenges of one request: libcurl has no limit. NTLM needs two, a stale nonce another one.
  static let maximum = 10
  /// The schemes for which libcurl holds the body back from the first request.
  private static let holdingBack: [AuthenticationSchemes] = [.digest, .ntlm, .negotiate]

  /// The schemes of the request, and of a forwarding proxy; nil if there are none.
  private let server: AuthenticationSchemes?
  private let proxy: AuthenticationSchemes?
  /// Whether the attempt may use schemes for which libcurl holds the body back: see ``Attempt/Restart/withoutChallenge``.
  private let mayHoldBack: Bool
  private let hasBody: Bool

  /// Whether the complete head may be a challenge that libcurl responds to.
  private(set) var isPending = false
  /// The number of challenges that libcurl has responded to.
  private(set) var legs = 0
  /// The connection of the last challenge.
  private(set) var connection: Sockets.Connection?
  /// The number of body bytes that libcurl had sent when the leg began.
  private var bodyBeforeLeg: Int64 = 0
  /// Whether libcurl has read a part of the body in this leg, so that it does not hold the body back.
  private var hasAskedForBody = false
  /// The number of bytes that the connection had received when the body of the challenge began.
  private var bytesBefore: Int64 = 0

  init(to transfer: Transfer, mayHoldBack: Bool) {
    server = transfer.transport.flatMap { $0.fields.authentication?.schemes }
    proxy = transfer.proxy.flatMap { $0.user != nil && transfer.isForwarded ? $0.authentication : nil }
    hasBody = !transfer.request.body.isEmpty
    self.mayHoldBack = mayHoldBack
  }

  // MARK: the schemes

  /// Whether libcurl may send the request several times in response to challenges.
  var mayAnswer: Bool { hasSchemes { _ in true } }

  /// Whether libcurl may hold the body back from a request of the exchange, because it expects a challenge.
  var mayHoldBodyBack: Bool { hasSchemes { !$0.isDisjoint(with: [.digest, .ntlm, .negotiate]) } }

  /// Whether libcurl holds the body back for the server's scheme. If it holds the body back only for the proxy's scheme, it
  /// does not send the body after a response without a challenge.
  var holdsBodyBackForServer: Bool { server.map { Self.holdingBack.contains($0) } ?? false }

  /// Whether libcurl may use the schemes in this attempt.
  func mayUse(_ schemes: AuthenticationSchemes) -> Bool { mayHoldBack || !Self.holdingBack.contains(schemes) }

  /// Whether libcurl may have held the body back from the last request. With several schemes, libcurl sends the first request
  /// with its body.
  private var holdsBodyBack: Bool { legs > 0 ? mayHoldBodyBack : hasSchemes { Self.holdingBack.contains($0) } }

  private func hasSchemes(_ condition: (AuthenticationSchemes) -> Bool) -> Bool {
    if let server, mayUse(server), condition(server) { return true }
    guard let proxy, mayUse(proxy) else { return false }
    return condition(proxy)
  }

  // MARK: a challenge

  /// Notes that a head is complete. The head is pending from then on if libcurl may respond to it by sending the request again.
  ///
  /// - Parameter sentBody: the number of body bytes that libcurl has sent.
  mutating func judge(_ status: Int, sentBody: @autoclosure () -> Int64) {
    switch status {
    case 401: isPending = server != nil
    case 407: isPending = proxy != nil
    // The server does not challenge: libcurl sends the request again, with its body.
    case 200..<300: isPending = holdsBodyBack && hasBody && !hasAskedForBody && sentBody() == bodyBeforeLeg
    default: isPending = false
    }
  }

  /// Stores the number of bytes that the connection has received before the body of the challenge.
  mutating func beginBody(after bytes: Int64) { bytesBefore = bytes }

  /// The number of bytes that libcurl has read of the challenge's body, by its own count or the connection's. libcurl does not
  /// count framing.
  func discarded(_ downloaded: Int64, _ bytes: Int64) -> Int64 { max(downloaded, bytes - bytesBefore) }

  /// Whether the response with that status is to a first request whose body libcurl has held back.
  func isWithoutBody(_ status: Int) -> Bool { isPending && status < 300 && legs == 0 }

  /// Notes that the pending head is the response: libcurl does not respond to it.
  mutating func deliver() { isPending = false }

  /// Notes that libcurl reads a part of the body, so that it has not held the body back. Returns whether a pending response
  /// with that status is the final response.
  mutating func noteBodyIsSent(_ status: Int) -> Bool {
    hasAskedForBody = true
    guard isPending, status < 300 else { return false }
    isPending = false
    return true
  }

  /// Begins another leg, in which libcurl responds to the challenge from that connection.
  mutating func beginNextLeg(after connection: Sockets.Connection?, sentBody: Int64) {
    isPending = false
    legs += 1
    bodyBeforeLeg = sentBody
    hasAskedForBody = false
    self.connection = connection ?? self.connection
  }
}
