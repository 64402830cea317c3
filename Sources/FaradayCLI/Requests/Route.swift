import Faraday
import FaradayCurl

/// Completes each request of a transfer for its destination, which redirects change. Sets the options of the transport, the
/// proxy, and the header fields in curl's order.
struct Route: RequestTransformer {
  private let session: Session
  /// The URL of the command line.
  private let target: Target

  private var settings: Operation { session.settings }

  init(_ session: Session, to target: Target) {
    self.session = session
    self.target = target
  }

  func transformed(_ request: Request, capabilities: Capabilities) throws -> Request {
    var request = request
    let scheme = request.url.scheme?.lowercased() ?? ""
    // As in curl, no proxy is used with a Unix socket.
    let proxy: ProxySelection =
      settings.network.unixSocket != nil
      ? .direct : try settings.proxy.selection(scheme: scheme, host: HostName.of(request.url) ?? "", over: settings.transport)
    try setOptions(of: &request, scheme: scheme, proxy: proxy, capabilities)
    try check(request.options, capabilities)
    let isForwarded = settings.isForwarded(scheme: scheme, proxy: proxy)
    let proxyHeaders = settings.proxy.headers
    if isForwarded, !(session.headers + proxyHeaders).has("Proxy-Connection") {
      try request.headers.set(name: "Proxy-Connection", value: "Keep-Alive")
    }
    if settings.transport == .curl {
      // Characters that are invalid in a URL are sent unchanged. A proxy gets the whole URL.
      if let raw = target.rawTarget, request.url == target.url, settings.requestTarget == nil {
        request.options.requestTarget = .verbatim(isForwarded ? String(target.text.prefix { $0 != "#" }) : raw)
      }
      // CONNECT sends this User-Agent, also to a proxy from the environment.
      let agent = request.headers.contains(.userAgent) ? settings.agent ?? Connection.standardUserAgent : nil
      let showsConnectHeads = settings.proxy.showsConnectHeads
      request.options[CurlSettings.self].append { transfer in
        if let agent { try transfer.set("USERAGENT", agent) }
        if !showsConnectHeads { try transfer.suppressConnectHeads() }
      }
    }
    // Proxy-Connection is the only field of --proxy-header that libcurl writes itself.
    for argument in session.headers + proxyHeaders.filter({ [$0].has("Proxy-Connection") }) where argument.value == nil {
      try omit(argument.name, from: &request, isForwarded: isForwarded)
    }
    request.headers = ordered(request.headers)
    return request
  }

  /// Throws if the adapter lacks an option of the command line. The library would throw too, with the names of its own options.
  private func check(_ options: Options, _ capabilities: Capabilities) throws {
    let lacked = TransportOption.all.first { $0.curl != nil && !capabilities.contains($0.capability) && $0.isSet(in: options) }
    let lacksTimeout = settings.connectTimeout != nil && !capabilities.contains(.connectTimeout)
    guard let capability = lacked?.capability ?? (lacksTimeout ? .connectTimeout : nil) else { return }
    var problem = "it has no " + capability.names.joined(separator: ", ")
    if settings.transport == .curl, let reason = CurlAdapter.absence(of: capability) { problem += ", " + reason }
    throw CommandFailure(
      ExitStatus.unsupported,
      "\(lacked?.curl?.name ?? "--connect-timeout") is not supported by \(settings.transport.adapterName): \(problem)")
  }

  /// Sets the options of the transport. Without arguments curl's defaults apply, not the library's. Options that are not given
  /// stay unset, because an adapter may lack them.
  private func setOptions(
    of request: inout Request, scheme: String, proxy: ProxySelection, _ capabilities: Capabilities
  ) throws {
    var options = request.options
    let connectTimeout = capabilities.contains(.connectTimeout) ? .seconds(300) : Timeouts().connect
    options.timeouts = Timeouts(connect: settings.connectTimeout ?? connectTimeout, idle: nil, total: settings.maxTime)
    // As with curl, only --max-filesize limits a download.
    options.decompression = settings.compressed ? Decompression(maximumSize: .max, maximumRatio: .max) : nil
    if let version = settings.version, version != .http2 || scheme == "https" { options.httpVersion = version }
    let tls = settings.transport == .curl && scheme == "https" ? settings.tls.withEnvironment() : settings.tls
    if tls != TLSArguments() { options.tls = try tls.options("") }
    if request.isCrossOrigin { options.tls.clientCertificate = nil }
    if settings.network != Network() { options.network = settings.network }
    // The proxy resolves the name, so overrides do not apply.
    if case .proxy(let proxy) = proxy, proxy.scheme != .socks4, proxy.scheme != .socks5 { options.network.hostOverrides = [] }
    if proxy != .automatic { options.proxy = proxy }
    var rates = settings.rates
    // If only one of the two options is given, the other one gets its default.
    if settings.speedLimit != nil || settings.speedTime != nil, settings.speedLimit != 0, settings.speedTime != .zero {
      (rates.minimum, rates.minimumFor) = (settings.speedLimit ?? 1, settings.speedTime ?? .seconds(30))
    }
    if rates != TransferRates() { options.rates = rates }
    for (_, edit) in settings.edits.sorted(by: { $0.key < $1.key }) { edit(&options) }
    request.options = options
  }

  /// Removes a field that libcurl would write itself: `-H 'Host:'`, and `-H 'Content-Length:'` of an empty body.
  private func omit(_ name: String, from request: inout Request, isForwarded: Bool) throws {
    switch name.lowercased() {
    case "host" where HostName.of(request.url) == target.host: break
    case "proxy-connection" where isForwarded: break
    case "content-length" where request.body.isEmpty && request.method.expectsBody: break
    case "content-length" where !request.body.isEmpty && request.body.length != nil:
      throw CommandFailure.usage("-H 'Content-Length:' cannot remove the length of a body")
    default: return
    }
    guard settings.transport == .curl else {
      throw CommandFailure(ExitStatus.unsupported, "-H '\(name):' is not supported by \(settings.transport.adapterName)")
    }
    request.options[CurlSettings.self].append { transfer in try transfer.omit(field: name) }
  }

  /// The fields that libcurl writes itself, in its order.
  private static let order = [
    "authorization", "range", "content-range", "user-agent", "accept", "referer", "proxy-connection", "cookie",
    "if-modified-since", "if-unmodified-since", "transfer-encoding",
  ]

  /// Sorts the fields in curl's order: libcurl's own fields, the fields of `-H`, then the fields that describe the body.
  private func ordered(_ fields: HTTPFields) -> HTTPFields {
    func rank(_ field: HTTPField) -> Int {
      let name = field.name.canonicalName
      // The Content-Type of a form merges the argument with the boundary, and keeps the position of curl's own field.
      let isMerged = name == "content-type" && !settings.form.isEmpty
      guard isMerged || !session.headers.has(name) else { return Self.order.count }
      if name == "content-length" { return Self.order.count + 1 }
      if name == "content-type" { return Self.order.count + 2 }
      return Self.order.firstIndex(of: name) ?? Self.order.count
    }
    let ranked = fields.enumerated().map { (rank: rank($1), place: $0, field: $1) }
    return HTTPFields(ranked.sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }.map(\.field))
  }
}

extension Operation {
  /// Whether a proxy forwards the request, as far as the command can determine it.
  func isForwarded(scheme: String, proxy: ProxySelection) -> Bool {
    // libcurl uses a tunnel to connect to another address.
    guard scheme != "https", network.connectTo.isEmpty, altSvc == nil, case .proxy(let proxy) = proxy else { return false }
    return (proxy.scheme == .http || proxy.scheme == .https) && !proxy.tunnels
  }
}
