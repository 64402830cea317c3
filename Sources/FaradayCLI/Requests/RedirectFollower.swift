import Faraday

/// Sends the requests of a transfer: the first, and those that redirects ask for, as curl follows them. Each one is composed anew,
/// with the cookies for its URL.
///
/// The library's `Redirects` follows the Fetch standard instead: it keeps credentials from other origins, and knows loops.
struct RedirectFollower: Middleware {
  let composer: RequestComposer

  private var settings: Operation { composer.operation.settings }

  func handle(_ request: Request, next: Next) async throws -> Response {
    let first = Hop(target: composer.target)
    var hop = first
    var request = request
    var count = 0
    while true {
      let scheme = hop.target.scheme
      guard settings.protocols.allows(scheme), count == 0 || settings.redirectProtocols.allows(scheme) else {
        throw CommandFailure(1, "Protocol \"\(hop.target.scheme)\" not supported or disabled in libcurl")
      }
      let response: Response
      do {
        response = try await next(request)
        composer.operation.cookies?.receive(response)
        if let field = response.headers[fields: .altSvc].first, !settings.tls.insecure {
          composer.operation.altSvc?.store.receive(field.value, from: response.url, version: response.version)
        }
      } catch let error as TransportError {
        if let partial = error.partialResponse { composer.operation.cookies?.receive(partial) }
        throw error
      }
      guard settings.location, (300..<400).contains(response.status.code),
        let location = response.headers[fields: .location].first.map({ $0.withUnsafeBytesOfValue { Array($0) } }),
        !location.isEmpty
      else { return response }
      await response.body.discard()
      guard settings.maxRedirects < 0 || count < settings.maxRedirects else {
        throw RedirectLimit(limit: settings.maxRedirects, response: response)
      }
      count += 1
      hop = try self.hop(after: hop, first: first, response.status, location)
      var following = try composer.request(for: hop)
      // The handlers of the transfer stay.
      following.options.takeHandlers(of: request.options)
      if !following.body.isEmpty {
        // The same one: standard input has been read.
        following.body = request.body
        guard request.body.isReplayable else { throw CommandFailure(65, "necessary data rewind wasn't possible") }
      }
      request = following
    }
  }

  private func hop(after hop: Hop, first: Hop, _ status: HTTPResponse.Status, _ location: [UInt8]) throws -> Hop {
    var new = hop
    new.target = try hop.target.following(location: location, keepsDots: settings.pathAsIs)
    new.isRedirected = true
    if settings.automaticReferer { new.referer = hop.target.withoutFragment }
    if composer.changesToGet(status.code) { new.sendsBody = false }
    let (one, other) = (new.target, first.target)
    new.isFirstHost = one.host == other.host
    new.isTrusted =
      settings.trustsRedirects || (new.isFirstHost && one.port == other.port && one.scheme == other.scheme)
    if !settings.trustsRedirects, one.port != hop.target.port || one.scheme != hop.target.scheme { new.keepsUser = false }
    return new
  }
}

/// More redirects than `--max-redirs` allows.
struct RedirectLimit: FaradayError, ErrorWithResponse {
  let limit: Int
  let response: Response
  var request: RequestSummary? { nil }

  var description: String { "Maximum (\(limit)) redirects followed" }
}

extension Options {
  fileprivate mutating func takeHandlers(of other: Options) {
    onInformational = other.onInformational
    if let handler = other.onRawHead { onRawHead = handler }
    if let handler = other.onTrace { onTrace = handler }
    onUploadProgress = other.onUploadProgress
  }
}

extension Target {
  fileprivate var withoutFragment: String {
    var parts = URLParts(url.absoluteString)
    parts.fragment = nil
    return parts.description
  }
}
