internal import FaradayCore
internal import FaradayTesting

extension Security {
  /// TLS in which the server selects HTTP/1.1.
  static let tls = tls(choosing: "http/1.1")

  /// TLS with nginx's certificate.
  ///
  /// - Parameter chosen: the protocol that the server selects if the client offers it.
  static func tls(choosing chosen: String) -> Security {
    Security(name: "over TLS", needs: .customCA) {
      try NginxServer.shared.get().caFile
    } start: {
      try RawServer(tls: ServerTLS(folder: NginxServer.shared.get().folder, choosing: chosen), onConnection: $0)
    }
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
