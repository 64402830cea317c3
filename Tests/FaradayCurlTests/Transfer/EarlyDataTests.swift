@_spi(Adapters) import FaradayCore
@testable import FaradayCurl
import FaradayTesting
import FoundationEssentials
import Glibc
import Synchronization
import TestServers
import TestSupport
import Testing

/// Early data (0-RTT) with a real nginx. Runs where libcurl can send it.
@Suite(.enabled(if: Library.capabilities.contains(.earlyData))) struct EarlyDataTests {
  /// A connection over an adapter of its own, which resumes no session of others.
  private func connection(_ url: String, _ adapter: CurlAdapter = CurlAdapter()) throws -> Connection {
    var defaults = Options()
    defaults.tls.caFile = try TestCertificates.shared.get().authority
    defaults.tls.sendsEarlyData = true
    return try Connection(url, defaults: defaults, adapter: adapter)
  }

  private func text(_ response: Response) async throws -> String { try await response.body.utf8Text() }

  /// Gets two tickets with a complete handshake: they come before the response, while that to early data may come before the ticket.
  private func getTickets(for connection: Connection) async throws {
    let response = try await connection.get("ticket")
    _ = try await text(response)
    #expect(response.metrics.earlyDataSize == 0)
  }

  @Test func `a request that reopens a connection is sent with the handshake`() async throws {
    let server = try EarlyDataServer()
    let connection = try connection(server.url(.http1))
    try await getTickets(for: connection)
    for _ in 0..<2 {
      let later = try await connection.get("b")
      #expect(try await text(later) == "GET /b")
      #expect(later.metrics.earlyDataSize > 40)
      #expect(!later.metrics.isConnectionReused)
      #expect(later.version == .http1_1)
      #expect(later.metrics.tlsSession?.version == .v1_3)
      #expect(later.metrics.tlsSession?.cipherSuite?.hasPrefix("TLS_") == true)
    }
  }

  @Test func `HTTP/2 is known before the handshake is complete`() async throws {
    let server = try EarlyDataServer()
    let connection = try connection(server.url(.http2))
    try await getTickets(for: connection)
    for _ in 0..<2 {
      let later = try await connection.get("b")
      #expect(try await text(later) == "GET /b")
      #expect(later.metrics.earlyDataSize > 40)
      #expect(later.version == .http2)
      #expect(later.metrics.tlsSession?.applicationProtocol == "h2")
    }
  }

  @Test(arguments: [HTTPRequest.Method.post, .put, .delete, .patch])
  func `an unsafe method waits for the handshake`(method: HTTPRequest.Method) async throws {
    let server = try EarlyDataServer()
    let connection = try connection(server.url(.http1))
    try await getTickets(for: connection)
    for _ in 0..<2 {
      let response = try await connection.send(connection.request(method, "b"))
      #expect(try await text(response) == "\(method) /b")
      #expect(response.metrics.earlyDataSize == 0)
    }
  }

  @Test func `a GET with a body waits for the handshake`() async throws {
    let server = try EarlyDataServer()
    let connection = try connection(server.url(.http1))
    try await getTickets(for: connection)
    let response = try await connection.get("b") { $0.body = .data(Data("body".utf8)) }
    #expect(try await text(response) == "GET /b")
    #expect(response.metrics.earlyDataSize == 0)
  }

  @Test func `nothing is sent early without the option`() async throws {
    let server = try EarlyDataServer()
    let connection = try connection(server.url(.http1))
    for _ in 0..<3 {
      let response = try await connection.get("b") { $0.options.tls.sendsEarlyData = false }
      #expect(response.metrics.earlyDataSize == 0)
    }
  }

  @Test(arguments: [EarlyDataServer.Place.http1TooEarly, .http2TooEarly], [Delivery.buffered, .streamed])
  func `a request with a 425 response is sent again after the handshake`(
    place: EarlyDataServer.Place, delivery: Delivery
  ) async throws {
    let server = try EarlyDataServer()
    let connection = try connection(server.url(place))
    try await getTickets(for: connection)
    let response = try await connection.get("b") { $0.options.delivery = delivery }
    // This server always answers so.
    #expect(response.status.code == 425)
    #expect(response.metrics.earlyDataSize == 0)
    #expect(try await text(response) == "GET /b")
    #expect(try await server.requests(3) == ["GET /ticket", "GET /b", "GET /b"])
  }

  @Test func `a 425 to a request that was not sent early is returned`() async throws {
    let server = try EarlyDataServer()
    let connection = try connection(server.url(.http1TooEarly))
    #expect(try await connection.get("a").status.code == 425)
    #expect(try await connection.post("b").status.code == 425)
    #expect(try await server.requests(2) == ["GET /a", "POST /b"])
  }

  @Test func `rejected early data is sent after the handshake`() async throws {
    let server = try EarlyDataServer()
    let connection = try connection(server.url(.http1))
    try await getTickets(for: connection)
    // The same server for libcurl, at a port where nginx does not know its tickets.
    let response = try await connection.get("b") {
      $0.options.network.connectTo = [ConnectTo(toHost: "127.0.0.1", toPort: server.port(.http1Again))]
    }
    #expect(try await server.requests(2) == ["GET /ticket", "GET /b"])
    #expect(response.metrics.tlsSession?.version == .v1_3)
    #expect(try await text(response) == "GET /b")
    #expect(response.metrics.earlyDataSize == 0)
  }

  @Test(arguments: [
    (EarlyDataServer.Place.http2, EarlyDataServer.Place.http1), (.http1, .http2), (.http1, .http1OverTLS1_2),
  ])
  func `a server that changed its protocol gets the request after the handshake`(
    before: EarlyDataServer.Place, after: EarlyDataServer.Place
  ) async throws {
    let server = try EarlyDataServer()
    let connection = try connection(server.url(before))
    try await getTickets(for: connection)
    let response = try await connection.get("b") {
      $0.options.network.connectTo = [ConnectTo(toHost: "127.0.0.1", toPort: server.port(after))]
    }
    #expect(try await text(response) == "GET /b")
    #expect(response.metrics.earlyDataSize == 0)
    #expect(response.version == .http1_1)
    #expect(try await server.requests(2) == ["GET /ticket", "GET /b"])
  }

  @Test func `a connection that was opened after a 425 serves requests without early data`() async throws {
    let server = try EarlyDataServer()
    let connection = try connection(server.url(.http1KeptTooEarly))
    let ticket = try await connection.get("ticket") { $0.headers[.connection] = "close" }
    _ = try await text(ticket)
    let retried = try await connection.get("b")
    _ = try await text(retried)
    #expect(!retried.metrics.isConnectionReused)
    #expect(try await server.requests(3) == ["GET /ticket", "GET /b", "GET /b"])
    #expect(try await connection.post("c").metrics.isConnectionReused)
  }

  @Test func `the TLS timeout starts after the early request was sent`() async throws {
    let server = try EarlyDataServer()
    let stalled = try RawServer { $0.waitForClose() }
    defer { stalled.stop() }
    let phases = Mutex<[ExchangeEvent.Phase]>([])
    var configuration = CurlAdapter.Configuration()
    configuration.onEvent = { event in phases.withLock { $0.append(event.phase) } }
    let connection = try connection(server.url(.http1), CurlAdapter(configuration))
    try await getTickets(for: connection)
    phases.withLock { $0 = [] }
    let error = await #expect(throws: TransportError.self) {
      try await connection.get("b") {
        $0.options.network.connectTo = [ConnectTo(toHost: "127.0.0.1", toPort: stalled.port)]
        $0.options.timeouts.tls = .milliseconds(200)
        $0.options.timeouts.idle = nil
        $0.options.timeouts.total = .seconds(20)
      }
    }
    // On a busy machine the time may be over before the request is sent: the phase and the event `.connected` tell that apart.
    #expect(error?.code == .tlsTimeout)
    #expect(phases.withLock { !$0.contains(.secured) && $0.last == .end })
  }

  @Test func `events report when the handshake is complete`() async throws {
    let server = try EarlyDataServer()
    let phases = Mutex<[ExchangeEvent.Phase]>([])
    var configuration = CurlAdapter.Configuration()
    configuration.onEvent = { event in phases.withLock { $0.append(event.phase) } }
    let connection = try connection(server.url(.http1), CurlAdapter(configuration))
    try await getTickets(for: connection)
    phases.withLock { $0 = [] }
    #expect(try await connection.get("b").metrics.earlyDataSize > 40)
    // libcurl 8.14 does not tell when the head is sent.
    let seen = phases.withLock { $0 }.filter { $0 != .headSent }
    #expect(seen == [.started, .resolved, .connected, .secured, .firstByte, .head, .end])
  }

  @Test(arguments: ["another pin", "another authority", "verification after none", "verification of the name after none"])
  func `early data is not sent to a server that was verified with other options`(change: String) async throws {
    let server = try EarlyDataServer()
    let connection = try connection(server.url(.http1))
    let certificates = try TestCertificates.shared.get()
    let ticket = try await connection.get("ticket") {
      if change == "verification after none" { $0.options.tls.verifiesServer = false }
      if change == "verification of the name after none" { $0.options.tls.verifiesHostName = false }
    }
    _ = try await text(ticket)
    let refused = await #expect(throws: TransportError.self) {
      try await connection.get("refused") {
        switch change {
        case "another pin": $0.options.tls.pinnedPublicKeys = [certificates.otherPin]
        case "verification of the name after none": $0.options.tls.pinnedPublicKeys = [certificates.otherPin]
        default: $0.options.tls.caFile = certificates.otherAuthority
        }
      }
    }
    #expect(refused?.phase == .tls)
    _ = try await text(connection.get("last"))
    #expect(try await server.requests(2) == ["GET /ticket", "GET /last"])
  }
}

/// An nginx that takes early data and closes most connections after their response, whose body names the request. It ends with this
/// process.
final class EarlyDataServer: Sendable {
  enum Place: Int, CaseIterable {
    case http1, http2, http1Again
    /// Answers each request with 425.
    case http1TooEarly, http2TooEarly
    /// The same over connections that are kept.
    case http1KeptTooEarly
    case http1OverTLS1_2

    fileprivate var status: Int {
      switch self {
      case .http1TooEarly, .http2TooEarly, .http1KeptTooEarly: 425
      default: 200
      }
    }
  }

  private let shell: HeldShell
  private let folder: String
  private let ports: [Int]

  init() throws {
    let folder = try HeldShell.makeFolder(for: "nginx")
    (shell, ports) = try HeldShell.onFreePorts(in: 10_000..<25_000, count: Place.allCases.count) { ports in
      try Self.write(ports, to: folder)
      return (try HeldShell("nginx", script: NginxServer.script, folder: folder, until: "ready\n"), ports)
    }
    self.folder = folder
  }

  deinit { shell.stop() }

  func port(_ place: Place) -> Int { ports[place.rawValue] }
  func url(_ place: Place) -> String { "https://localhost:\(port(place))/" }

  /// The requests so far, as soon as there are that many.
  func requests(_ count: Int) async throws -> [String] {
    while true {
      let log = try String(contentsOf: URL(filePath: folder + "/log"), encoding: .utf8)
      let lines = log.split(separator: "\n").map(String.init)
      if lines.count >= count { return lines }
      await Task.yield()
    }
  }

  private static func write(_ ports: [Int], to folder: String) throws {
    let certificates = try TestCertificates.shared.get()
    let servers = Place.allCases.map { place in
      """
      server {
        listen 127.0.0.1:\(ports[place.rawValue]) ssl\(place == .http2 || place == .http2TooEarly ? " http2" : "");
        ssl_protocols \(place == .http1OverTLS1_2 ? "TLSv1.2" : "TLSv1.3");
        keepalive_timeout \(place == .http1KeptTooEarly ? 60 : 0);
        location / { return \(place.status) "$request_method $uri"; }
      }
      """
    }
    let text = """
      \(geteuid() == 0 ? "user root;" : "")
      worker_processes 1;
      pid nginx.pid;
      events { worker_connections 1024; }
      http {
        log_format requests "$request_method $uri";
        access_log log requests;
        client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
        ssl_certificate \(certificates.server(.valid));
        ssl_certificate_key \(certificates.serverKey);
        ssl_early_data on;
      \(servers.joined(separator: "\n"))
      }

      """
    try Data(text.utf8).write(to: URL(filePath: folder + "/nginx.conf"))
  }
}
