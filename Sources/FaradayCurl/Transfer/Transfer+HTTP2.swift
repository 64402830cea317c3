internal import CCurl
internal import FaradayCore
internal import Synchronization

/// HTTP/2: which requests may use it, and which protocol was negotiated.
///
/// **Before libcurl 8.4** a stream of HTTP/2 is not sound. If the connection ends, or another stream is paused, libcurl may call a
/// truncated body complete (up to 7.88; mended in 8.0.0). A paused stream is buffered up to its window of 32 MiB, may lose its last
/// bytes (curl issue 11982), and takes quadratic time if it is paused again. An upload spins while the server's window is closed
/// (curl issue 10449), and loses an early response. libcurl reports none of that. So HTTP/2 is used only where HTTP/1.1 can take over
/// unnoticed: for safe requests (RFC 9110, section 9.2.1) without a body whose response the caller gets whole. A response with a
/// stated length is checked against it. One without is dropped at its head, and the request is sent again over HTTP/1.1; so are later
/// ones to that origin. Nothing is paused: the memory for a body is bounded by ``Options/maximumBodySize``.
extension Request {
  /// Whether HTTP/2 may be negotiated for the request.
  func mayBeHTTP2(to target: Target, _ settings: Transfer.Settings) -> Bool {
    switch options.httpVersion {
    case .http1, .http1_0: false
    case .http2PriorKnowledge: true
    case .automatic, .http2, .http3:
      target.isSecure && Library.hasReliableHTTP2
        && (Library.Behaviour.hasSoundStreams
          || mayBeSentAgainUnnoticed && !settings.withoutLengths.contains(target.origin))
    }
  }

  /// Whether the request can be sent again after the response's head, and the caller notices nothing.
  private var mayBeSentAgainUnnoticed: Bool {
    let transport = options.transport?.fields
    return method.isSafe && body.isEmpty && isDeliveredAtOnce && transport?.rates.maximumReceive == nil
      && transport?.authentication == nil
  }

  /// Whether the caller gets nothing of the response before all of it.
  fileprivate var isDeliveredAtOnce: Bool {
    options.deliversWhole && options.onInformational == nil && options.onRawHead == nil
  }
}

extension Transfer {
  /// Whether the response, whose head is complete, must be requested again over HTTP/1.1.
  var needsHTTP1: Bool {
    guard isHTTP2, !Library.Behaviour.hasSoundStreams else { return false }
    guard let length = parser.length else {
      settings.withoutLengths.insert(target.origin)
      return true
    }
    return length > max(Self.maximumBufferedBody, request.options.maximumBodySize)
  }

  /// Whether libcurl has ended the transfer because its connection of HTTP/2 has ended, and the request can be sent again over another:
  /// the method is idempotent, and nothing of the response was delivered. Servers end connections at any time (GOAWAY), and some
  /// (caddy 2.6) do not complete streams that their GOAWAY has promised to.
  func isCutWithItsSession(_ code: CURLcode) -> Bool {
    guard isHTTP2, !pastRestarts.contains(.sessionEnded), continuation != nil, request.method.isIdempotent else { return false }
    // CURLE_RECV_ERROR would be a stream that was refused.
    let isEnd = [CURLE_HTTP2, CURLE_PARTIAL_FILE, CURLE_SEND_ERROR, CURLE_GOT_NOTHING].contains(code)
    guard isEnd, request.isDeliveredAtOnce, !isWhole, let connection, let engine else { return false }
    // Otherwise only the stream has ended.
    let isOpen = engine.sockets.descriptor(connection.endpoints) == connection.descriptor
    return !isOpen || faraday_is_readable_or_closed(connection.descriptor) != 0
  }

  /// Whether the transfer may be paused while it receives.
  var mayPause: Bool { !isHTTP2 || Library.Behaviour.hasSoundStreams }

  /// Whether HTTP/2 was negotiated for the new connection.
  func hasAgreedOnHTTP2(_ ssl: UnsafeMutableRawPointer?) -> Bool {
    if request.options.httpVersion == .http2PriorKnowledge { return true }
    return readsProtocolFromLog ? attempt.hasLoggedHTTP2 : ssl.flatMap(OpenSSL.hasAgreedOnHTTP2) ?? false
  }

  /// Whether the negotiated protocol (ALPN) is read from libcurl's log: the TLS library is not one that can be asked.
  var readsProtocolFromLog: Bool { mayBeHTTP2 && target.isSecure && !OpenSSL.reportsALPN }

  /// Reads a line of libcurl's log that says which protocol was negotiated.
  func readProtocol(_ line: UnsafeRawBufferPointer) {
    if line.starts(with: "ALPN: server accepted ".utf8) {
      attempt.hasLoggedHTTP2 = line.starts(with: "ALPN: server accepted h2".utf8)
    }
  }
}

/// The log of frames: see ``Library/Behaviour/hidesBrokenSessions``.
extension Transfer {
  /// Makes libcurl log the frames of its connection.
  func watchFrames() {
    guard isHTTP2, Library.Behaviour.hidesBrokenSessions, let easy else { return }
    _ = faraday_set_log(easy.pointer, logCallback, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Whether a line of the log is about HTTP/2 frames.
  func isFrame(_ line: UnsafeRawBufferPointer) -> Bool {
    Library.Behaviour.hidesBrokenSessions && line.starts(with: "[HTTP/2] ".utf8)
  }

  /// Ends the connection if libcurl has sent GOAWAY with an error.
  func readFrame(_ line: UnsafeRawBufferPointer) {
    let start = "[HTTP/2] [0] -> FRAME[GOAWAY, error="
    guard let connection, line.starts(with: start.utf8), line.count > start.utf8.count else { return }
    if line[start.utf8.count] != UInt8(ascii: "0") { engine?.noteBrokenSession(connection) }
  }
}

/// A bounded set of origins. Thread-safe.
final class RecentOrigins: Sendable {
  /// With so many, it forgets all.
  private static let limit = 1000
  private let origins = Mutex<Set<String>>([])

  func contains(_ origin: String) -> Bool { origins.withLock { $0.contains(origin) } }

  func insert(_ origin: String) {
    origins.withLock {
      if $0.count >= Self.limit { $0 = [] }
      $0.insert(origin)
    }
  }
}
