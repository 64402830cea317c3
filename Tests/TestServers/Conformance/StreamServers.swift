package import FaradayCore
internal import FaradayTesting

/// The servers that the rules of a version with streams, HTTP/2 or HTTP/3, are tested with.
package struct StreamServers: Sendable {
  /// A server that is running.
  package struct Running: Sendable {
    let url, caFile: String
    let stop: @Sendable () -> Void

    package init(url: String, caFile: String, stop: @escaping @Sendable () -> Void) {
      (self.url, self.caFile, self.stop) = (url, caFile, stop)
    }
  }

  let version: HTTPVersion
  let policy: HTTPVersionPolicy
  /// A reverse proxy that all rules share. Its upstream is a ``LocalServer``.
  let shared: @Sendable () throws -> Running
  /// Starts a reverse proxy to the port of a server on 127.0.0.1.
  let proxy: @Sendable (Int) throws -> Running
  /// Starts a server whose path `/connection` tells connections apart, by the first word of the response.
  let counting: @Sendable () throws -> Running

  package init(
    version: HTTPVersion, policy: HTTPVersionPolicy, shared: @escaping @Sendable () throws -> Running,
    proxy: @escaping @Sendable (Int) throws -> Running, counting: @escaping @Sendable () throws -> Running
  ) {
    (self.version, self.policy) = (version, policy)
    (self.shared, self.proxy, self.counting) = (shared, proxy, counting)
  }

  static let http2 = StreamServers(version: .http2, policy: .http2) {
    let server = try NghttpxServer.shared.get()
    return Running(url: server.url, caFile: server.caFile) {}
  } proxy: { upstream in
    let server = try NghttpxServer(upstream: upstream)
    return Running(url: server.url, caFile: server.caFile) { server.stop() }
  } counting: {
    let server = try NginxServer()
    return Running(url: server.url, caFile: server.caFile) { server.stop() }
  }

  func connection(_ subject: AdapterConformance.Subject) throws -> Connection {
    try connection(subject, to: shared())
  }

  func connection(_ subject: AdapterConformance.Subject, to server: Running) throws -> Connection {
    var defaults = Options()
    defaults.tls.caFile = server.caFile
    defaults.httpVersion = policy
    return try Connection(server.url, defaults: defaults, adapter: subject.adapter)
  }
}
