/// A switch of the connection to another protocol, as in `websocket` (RFC 9110, section 7.8): see ``Options/upgrade``.
///
/// The request is sent with `Upgrade` and `Connection: Upgrade`, over HTTP/1.1; an HTTP proxy opens a tunnel for it. If the
/// server agrees, with the status 101, the connection belongs to this exchange: the bytes of ``body`` are sent to the server as
/// they are, and the bytes from the server are the response's body, both at the same time and with backpressure. The response
/// ends when the server closes the connection; releasing the response's body closes it. After any other status the response is
/// an ordinary one, and nothing is sent. The response's `Upgrade` field names the protocol of the server, which is not compared
/// with ``name``.
///
/// The request's method must be GET, its own body empty, and the response streamed or taken by ``Options/onChunk``.
/// ``Timeouts/idle`` applies until the response's head, and later while bytes wait for the server, or if ``body`` is empty.
/// ``Timeouts/total``, ``Timeouts/totalExcludingQueue`` and ``TransferRates/minimum`` apply to the whole exchange. An upgraded
/// connection does not count towards the limits of the connection pool.
public struct Upgrade: Sendable {
  /// The name of the protocol, with a version or without: `websocket`, `name/version`.
  public var name: String
  /// The bytes that are sent after the switch: empty, or a stream of unknown length. It is not read before the switch, so that
  /// the request can be sent again.
  public var body: Body

  /// A switch to a protocol.
  public init(to name: String, sending body: Body = .empty) {
    self.name = name
    self.body = body
  }
}
