internal import FaradayCore

extension AdapterConformance.Subject {
  /// A connection to a server, with its certificate if it uses TLS, and HTTP/2 if it selects that.
  func connection(toTrusted server: RawServer) throws -> Connection {
    guard server.url.hasPrefix("https:") else { return try connection(to: server) }
    var defaults = Options()
    defaults.tls.caFile = try NginxServer.shared.get().caFile
    return try Connection(server.url + "/", defaults: defaults, adapter: adapter)
  }
}

extension AdapterConformance.Subject {
  /// Whether the adapter uses HTTP/2 for requests of this kind, where the server has it.
  func usesHTTP2(_ edit: (inout Request) -> Void) async throws -> Bool {
    let server = try NghttpxServer.shared.get()
    var request = try Request(server.url + "hello")
    edit(&request)
    request.options.tls.caFile = server.caFile
    request.options.httpVersion = .http2
    return try await Connection(server.url, adapter: adapter).send(request).version == .http2
  }
}

/// The security below a ``RawServer``: none or TLS.
enum Security: String, CaseIterable {
  case plain = "in clear text"
  case tls = "over TLS"

  var needs: Capabilities { self == .plain ? [] : .customCA }

  /// A server that sends exactly the bytes that the rule chooses.
  func server(
    choosing chosen: String = "http/1.1", onConnection: @escaping @Sendable (RawConnection) throws -> Void
  ) throws -> RawServer {
    let tls = self == .plain ? nil : try ServerTLS(folder: NginxServer.shared.get().folder, choosing: chosen)
    return try RawServer(tls: tls, onConnection: onConnection)
  }
}
