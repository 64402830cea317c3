public import FaradayCore
#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// Sends requests over Foundation's URLSession.
///
/// Of the session's configuration it takes what is set, and switches off what is not an adapter's: cookies, cache and stored
/// credentials. It follows no redirect. Copies share the session; when the last copy goes, transfers in flight finish and the
/// session ends.
///
/// URLSession does less than libcurl does: ``capabilities`` says what, and a request that needs more fails with
/// ``TransportError/Code/unsupported``. Some of it cannot be asked for, and is to be known:
///
/// - It cannot slow a server down. What a reader has not read waits in memory; over ``maximumUnread`` bytes the transfer fails
///   with ``TransportError/Code/bodyTooLarge``.
/// - Header fields that are repeated come joined by a comma (so do two `Set-Cookie`), in no order, and those of a request are
///   sent that way.
/// - A body that was compressed although nobody asked for it is decoded all the same: such a response fails.
/// - A sequence is written to a temporary file first, and leaves, with its length, when it has ended. It takes room on disk, not
///   in memory.
/// - A request with a body, and a POST, PATCH or custom method without one, has a connection of its own: when a kept one dies
///   URLSession sends its request again, mostly without the body.
/// - What a server says on a kept connection before the next request (a second response, a late `408`) answers that request: it
///   has no ``Capabilities/cleanConnections``.
/// - A body over TLS that only the connection's end ends is whole to it without a `close_notify` too, which anybody on the way
///   can make use of (RFC 9112, section 9.8): it has no ``Capabilities/truncatedTLS``.
/// - So many requests to an origin are under way at a time as `httpMaximumConnectionsPerHost` says, over HTTP/2 too; the others
///   wait in order, as many as there are.
/// - On Linux one server that sends faster than it can be read holds up every URLSession of the process meanwhile.
/// - On Linux its sockets are open in the processes that this one starts, unless whoever starts them closes them, as Foundation's
///   `Process` does.
/// - On Linux an upload of more than 8 MiB from a file, a sequence or a form that ends before all of it was read, cancelled or cut
///   off, can end the process (Foundation of Swift 6.3). Up to that size it is read into memory, which avoids it.
/// - On Linux a response with trailers, one that ends inside its head (`Transfer completed, but there's no response`), and one
///   whose `Content-Length` is over 9,223,372,036,854,775,295 end the process (Foundation of Swift 6.3). Do not talk to servers
///   that you do not trust.
public struct URLSessionAdapter: Adapter {
  /// How many bytes may wait for their reader: 64 MiB.
  public static let maximumUnread = 64 << 20

  private let session: Session

  /// - Parameter configuration: copied. A setting that the platform's URLSession ignores, a proxy on Linux for one, makes every
  ///   request fail by its name.
  public init(_ configuration: URLSessionConfiguration = .default) {
    session = Session(configuration)
  }

  public var capabilities: Capabilities { .urlSession }

  public func send(_ request: Request) async throws -> Response {
    try Task.checkCancellation()
    let checked = try capabilities.checked(request, of: "URLSessionAdapter")
    try session.settings.check(request)
    let exchange = Exchange(checked, over: session)
    exchange.start()
    return try await withTaskCancellationHandler {
      try await exchange.response()
    } onCancel: {
      exchange.fail(CancellationError())
    }
  }
}

extension Capabilities {
  /// What URLSession does on this platform, as far as it has been shown.
  static let urlSession: Capabilities = [
    .customMethods, .streamedUpload, .expectContinue, .uploadProgress, .streamedDownload, .neverResends, .informational,
    .queueTimeout, .idleTimeout, .totalTimeout,
  ]
}
