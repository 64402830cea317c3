import Faraday
import FaradayCurl
import FaradayTesting
import Foundation
import Logging
import Testing

// The blocks of Swift in the articles of Faraday.docc that no other file has, each as it stands there; ReadmeTests compares them.

enum Injected {
  typealias User = Faces.User

  struct UserStore: Sendable {
    let api: Connection

    func user(_ id: Int) async throws -> User { try await api.get("users/{id}", variables: ["id": id]).decode() }
  }
}

func codes(_ connection: Connection) async throws {
  do {
    _ = try await connection.get("users")
  } catch let error as TransportError {
    switch error.code {
    case .nameNotFound, .connectionFailed: print("is the network up?")
    case .tlsVerificationFailed: print("that is not the server it says it is:", error.message)
    case .bodyTooLarge: print("more than this program wants to have in memory")
    default: print(error.code, error.phase, error.partialResponse?.status ?? "no response")
    }
  }
}

func bodies() async throws {
  let strict = try Connection(
    "https://api.example.com/v2/", adapter: CurlAdapter(), middleware: [.timeout(.seconds(30)), .statusValidation] + .standard)
  do {
    let list: [String] = try await strict.get("names").decode()
    print(list)
  } catch let error as BodyDecodingError {
    print(error.path, error.type)
  } catch let error as StatusError {
    print(error.status, error.errorJSON?["message"]?.string ?? "")
  }
}

func download(_ connection: Connection, to path: String) async throws {
  let download = try await connection.get("image.iso") { $0.options.delivery = .streamed }
  _ = FileManager.default.createFile(atPath: path, contents: nil)
  let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
  for try await piece in download.body { try file.write(contentsOf: piece) }
  try file.close()
}

func downloads(_ connection: Connection, _ names: [String]) async throws {
  let sizes = connection.map(names, concurrency: 8) { connection, name in
    var size = 0
    let file = try await connection.get("files/{name}", variables: ["name": name]) { $0.options.delivery = .streamed }
    for try await piece in file.body { size += piece.count }
    return size
  }
  for try await size in sizes { print(size) }
}

func sequences(_ connection: Connection) async throws {
  let lines = AsyncStream<Data> { continuation in
    for number in 1...3 { continuation.yield(Data("line \(number)\n".utf8)) }
    continuation.finish()
  }
  _ = try await connection.post("ingest", body: .stream(lines))
}

func compressedUpload(_ connection: Connection) async throws {
  _ = try await connection.put("log", body: .file("/var/log/app.log")) { try $0.compressBody() }
}

func forms(_ connection: Connection) async throws {
  var form = MultipartForm()
  form.append(name: "title", value: "Backup of Monday")
  try form.append(name: "archive", file: "/var/backup.tar")
  _ = try await connection.post("uploads", body: .multipart(form))
}

func retries(_ connection: Connection) async throws {
  var patient = connection
  patient.use(.retry(Retry.Policy(retries: 5, maximumDelay: .seconds(5))))
  let report = try await patient.post("reports", json: ["month": "may"]) { $0.options.isRetryable = true }
  print(report.status, report.retries)
}

struct Session: Sendable {
  func expires(_ token: String) -> Bool { token.isEmpty }
  func renew() async throws -> String { "token" }
}

func tokens(_ connection: Connection, _ session: Session) {
  var authorized = connection
  authorized.use(.tokenRefresh(isExpiring: { session.expires($0) }) { _ in try await session.renew() })
  authorized.secrets.insert("X-Tenant")
}

func deployed() throws -> Connection {
  let adapter = CurlAdapter(
    .init(maximumPooledConnectionsPerOrigin: 8, connectionLifetime: .seconds(300), maximumQueuedRequests: 1_000, proxy: .direct))
  let connection = try Connection(
    "https://api.example.com/v2/", adapter: adapter, middleware: .standard(logger: Logger(label: "api")))
  return connection
}

/// The examples of the article about testing.
@Suite struct TestingArticleTests {
  @Test func `retries wait as long as the article says`() async throws {
    let mock = MockAdapter()
    try mock.stub(.get, path: "/jobs/1", status: .serviceUnavailable, times: 2)
    mock.stub(
      where: { $0.method == .get },
      respond: { Response(status: .ok, body: .text($0.url.path()), url: $0.url) })

    let clock = ManualClock()
    let connection = Connection(
      url: URL(string: "https://api.example.com"), adapter: mock,
      middleware: [Retry(Retry.Policy(retries: 2), clock: clock, random: { 1 })])
    let response = Task { try await connection.get("jobs/1") }
    await clock.sleepers(1)
    clock.advance(by: .milliseconds(500))
    await clock.sleepers(1)
    clock.advance(by: .seconds(1))
    #expect(try await response.value.retries == 2)
    #expect(clock.slept == [.milliseconds(500), .seconds(1)])
  }

  @Test func `a truncated response is a transient error`() async throws {
    let server = try RawServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhal")
      connection.reset()
    }
    let connection = try Connection(server.url, adapter: CurlAdapter())
    let error = await #expect(throws: TransportError.self) { try await connection.get() }
    #expect(error?.isTransient == true)
  }
}

func certificates(_ password: String, _ pin: String) throws -> Connection {
  var defaults = Options()
  defaults.tls.caFile = "/etc/company/authorities.pem"
  defaults.tls.clientCertificate = .pem(.file("client.pem"), key: .file("client.key"), password: password)
  defaults.tls.pinnedPublicKeys = [pin]
  let bank = try Connection("https://api.bank.example/", defaults: defaults, adapter: CurlAdapter())
  return bank
}

func selected(_ proxy: Proxy) -> CurlAdapter {
  var configuration = CurlAdapter.Configuration()
  configuration.proxy = .selected { url in url.host()?.hasSuffix(".internal") == true ? nil : proxy }
  let adapter = CurlAdapter(configuration)
  configuration.unsafeCustomize = { transfer, request in
    try transfer.set("TCP_FASTOPEN", 1)
  }
  return adapter
}

func addresses(_ connection: Connection, _ password: String) async throws -> [Response] {
  let containers = try await connection.get("containers/json") {
    $0.options.network.unixSocket = "/var/run/docker.sock"
  }
  let staging = try await connection.get("health") {
    $0.options.network.hostOverrides = [HostOverride("api.example.com", addresses: ["192.0.2.7"])]
  }
  let camera = try await connection.get("snapshot.jpg") {
    $0.options.authentication = TransportAuthentication(user: "admin", password: password, schemes: .digest)
  }
  return [containers, staging, camera]
}

func fetcher() -> CurlAdapter {
  let fetcher = CurlAdapter(CurlAdapter.Configuration(proxy: .direct, addressPolicy: .publicOnly))
  return fetcher
}

func verified(_ defaults: inout Options, isLogged: @escaping @Sendable (_ leaf: Data?, _ host: String) -> Bool) {
  let verifier = CertificateVerifier { chain, host in
    isLogged(chain.first, host)
  }
  defaults.tls.verifier = verifier
}

func resolved(_ addresses: @escaping @Sendable (_ host: String) async throws -> [String]) -> CurlAdapter {
  var configuration = CurlAdapter.Configuration()
  configuration.resolver = { host in
    .init(try await addresses(host), timeToLive: .seconds(10))
  }
  return CurlAdapter(configuration)
}

func prewarmed(_ connection: Connection) async {
  await withTaskGroup(of: Void.self) { group in
    for _ in 0..<4 { group.addTask { _ = try? await connection.head("health") } }
  }
}
