/// A closure that decides about a server's certificates: the chain must be one that it accepts, whatever else is checked.
///
///     let verifier = CertificateVerifier { chain, host in
///       known[host] == chain.first
///     }
///     connection.defaults.tls.verifier = verifier
///
/// It is called in each TLS handshake with the server, after the chain was verified against the authorities, and only if that has
/// succeeded. It can refuse a chain and never saves one: the host name, pinned keys and revocation lists are checked as well. To
/// decide alone, switch the other checks off: ``TLS/verifiesServer``. The closure then is all that keeps a man in the middle away.
///
/// A refused server throws ``TransportError/Code/tlsVerificationFailed``. The certificates of proxies and of DNS resolvers are not
/// passed to it, and a request through an `https` proxy with a verifier is refused, as the two handshakes cannot be told apart.
///
/// Two verifiers are equal if they are the same object. Create one and keep it: requests with different verifiers share no
/// connection, because the connection of one was not accepted by the other.
public final class CertificateVerifier: Sendable, Hashable {
  /// The type of the closure: it gets the certificates that the server has sent, in DER, its own first, and the URL's host.
  public typealias Decision = @Sendable (_ chain: [Data], _ host: String) -> Bool

  private let decision: Decision
  /// A text that no other verifier has, in no process: what is stored for its requests is theirs alone.
  package let identity = UUID().uuidString

  /// A verifier.
  ///
  /// - Parameter accepts: returns whether the server is trusted. Called on a thread of the transport, where all other transfers wait
  ///   for it: it must not block.
  public init(_ accepts: @escaping Decision) { decision = accepts }

  /// Whether the verifier accepts the certificates.
  package func accepts(_ chain: [Data], host: String) -> Bool { decision(chain, host) }

  public static func == (left: CertificateVerifier, right: CertificateVerifier) -> Bool { left === right }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
