@_spi(Adapters) import FaradayCore
@testable import FaradayCurl
import FaradayTesting
import FoundationEssentials
import Testing

/// The schemes that authenticate a connection: NTLM in its three messages, and Negotiate.
@Suite struct ConnectionAuthenticationTests {
  private struct Arrival: Sendable {
    let connection: Int
    let path: String
    let authorization: String?
  }

  /// A server that records requests and responds as the closure says.
  private func server(
    _ arrivals: Log<Arrival>, closed: Log<Int> = Log(), _ answer: @escaping @Sendable (_ authorization: String?) -> String
  ) throws -> RawServer {
    try RawServer { connection in
      defer { closed.append(connection.index) }
      while true {
        let head = try connection.readHead()
        let length = head.lowercased().firstMatch(of: #/content-length: ([0-9]+)/#).flatMap { Int($0.output.1) } ?? 0
        _ = try connection.read(exactly: length)
        let authorization = head.firstMatch(of: #/(?i)\r\nauthorization: ([^\r]*)\r\n/#).map { String($0.output.1) }
        let path = String(head.split(separator: " ")[1])
        arrivals.append(Arrival(connection: connection.index, path: path, authorization: authorization))
        try connection.send(answer(authorization))
      }
    }
  }

  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
  private static func refusal(_ challenge: String) -> String {
    "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: \(challenge)\r\nContent-Length: 6\r\n\r\nrefuse"
  }

  /// The message of a field `NTLM BASE64`, whose kind is its ninth byte.
  private static func message(_ authorization: String?) -> Data? {
    guard let authorization, authorization.hasPrefix("NTLM ") else { return nil }
    return Data(base64Encoded: String(authorization.dropFirst(5)))
  }

  /// The challenge: signature, kind 2, no target name, flags for Unicode and NTLM, eight bytes of challenge, no more.
  private static let challenge: String = {
    var bytes = Array("NTLMSSP\0".utf8) + [2, 0, 0, 0, 0, 0, 0, 0, 40, 0, 0, 0, 0x01, 0x82, 0, 0]
    bytes += [1, 2, 3, 4, 5, 6, 7, 8] + [UInt8](repeating: 0, count: 8)
    return "NTLM " + Data(bytes).base64EncodedString()
  }()

  /// An NTLM server: requests NTLM, sends a challenge after the first message, and the given response after the third.
  private func ntlmServer(_ arrivals: Log<Arrival>, closed: Log<Int> = Log(), accepts: Bool = true) throws -> RawServer {
    try server(arrivals, closed: closed) { authorization in
      switch Self.message(authorization)?.dropFirst(8).first {
      case 1: Self.refusal(Self.challenge)
      case 3 where accepts: Self.ok
      default: authorization == nil ? Self.ok : Self.refusal("NTLM")
      }
    }
  }

  private static let hasNTLM: ConditionTrait = .enabled(if: Library.schemes.contains(.ntlm), "this libcurl has no NTLM")

  @Test(Self.hasNTLM) func `NTLM over a Unix socket counts its connection once`() async throws {
    let path = FileManager.default.temporaryDirectory.path() + "/faraday-\(UInt32.random(in: 0 ... .max))"
    let messages = Log<UInt8?>()
    let server = try RawServer(unixSocket: path) { connection in
      while true {
        let authorization = try connection.readHead().firstMatch(of: #/(?i)\r\nauthorization: ([^\r]*)\r\n/#)
        let message = Self.message(authorization.map { String($0.output.1) })?.dropFirst(8).first
        messages.append(message)
        try connection.send(message == 1 ? Self.refusal(Self.challenge) : Self.ok)
      }
    }
    defer { server.stop() }
    defer { try? FileManager.default.removeItem(atPath: path) }
    let adapter = CurlAdapter()
    var request = try Request("http://host.test/")
    request.options.network.unixSocket = path
    request.options.authentication = TransportAuthentication(user: "ada", password: "hunter2", schemes: .ntlm)
    #expect(try await adapter.send(request).status == .ok)
    #expect(messages.elements == [1, 3] && adapter.statistics.connections.opened == 1)
    await until { adapter.statistics.connections.open == 0 }
  }

  @Test(Self.hasNTLM, arguments: [Delivery.buffered, .streamed], ["", "the body"])
  func `NTLM exchanges its three messages over one connection`(delivery: Delivery, body: String) async throws {
    let arrivals = Log<Arrival>()
    let server = try ntlmServer(arrivals)
    let connection = try server.connection()
    // A kept connection that must not be used.
    #expect(try await connection.get("plain").status == .ok)
    let response = try await connection.send(body.isEmpty ? .get : .post, "secret") {
      if !body.isEmpty { $0.body = .data(Data(body.utf8)) }
      $0.options.delivery = delivery
      $0.options.authentication = TransportAuthentication(user: "ada", password: "hunter2", schemes: .ntlm)
    }
    let text = try await response.body.utf8Text()
    #expect(response.status == .ok && text == "ok")
    let messages = arrivals.elements.filter { $0.path == "/secret" }
    #expect(messages.map { Self.message($0.authorization)?.dropFirst(8).first } == [1, 3])
    #expect(Set(messages.map(\.connection)) == [1], "\(messages)")
    let last = try #require(Self.message(messages.last?.authorization))
    #expect(last.starts(with: Data("NTLMSSP\0".utf8)))
    // The user is named, in UTF-16 if that was agreed on, and the password is not in it.
    let plain = String(decoding: last.filter { $0 != 0 }, as: UTF8.self)
    #expect(plain.contains("ada") && !plain.contains("hunter2"))
    // No other user gets ada's connection.
    #expect(try await connection.get("plain").status == .ok)
    #expect(arrivals.elements.last?.connection == 0 && arrivals.elements.last?.authorization == nil)
  }

  @Test(Self.hasNTLM) func `an NTLM connection is closed, and the next request authenticates again`() async throws {
    let (arrivals, closed) = (Log<Arrival>(), Log<Int>())
    let connection = try ntlmServer(arrivals, closed: closed).connection(
      CurlAdapter.Configuration(idleConnectionTimeout: .seconds(3600)))
    for user in ["ada", "eve", nil] {
      let response = try await connection.get("secret") {
        $0.options.authentication = user.map { TransportAuthentication(user: $0, password: "hunter2", schemes: .ntlm) }
      }
      #expect(response.status == .ok)
    }
    #expect(arrivals.elements.map(\.connection) == [0, 0, 1, 1, 2])
    await until { closed.elements.count == 2 }
    #expect(Set(closed.elements) == [0, 1])
  }

  @Test(Self.hasNTLM) func `a rejection of the third NTLM message is the response`() async throws {
    let arrivals = Log<Arrival>()
    let connection = try ntlmServer(arrivals, accepts: false).connection()
    let response = try await connection.get("secret") {
      $0.options.authentication = TransportAuthentication(user: "ada", password: "wrong", schemes: .ntlm)
    }
    #expect(response.status == .unauthorized)
    #expect(try await response.body.utf8Text() == "refuse")
    #expect(arrivals.elements.map { Self.message($0.authorization)?.dropFirst(8).first } == [1, 3])
  }

  /// There is no ticket for this server. libcurl can report that in two ways, but once.
  @Test(arguments: [AuthenticationSchemes.negotiate, [.negotiate, .basic]])
  func `Negotiate without a ticket has one outcome and shows no password`(schemes: AuthenticationSchemes) async throws {
    let arrivals = Log<Arrival>()
    let connection = try server(arrivals) { _ in Self.refusal("Negotiate") }.connection()
    let outcome = await Task {
      try await connection.get("secret") {
        $0.options.authentication = TransportAuthentication(user: "", password: "", schemes: schemes)
      }
    }.result
    switch outcome {
    case .success(let response): #expect(response.status == .unauthorized)
    case .failure(let error): #expect(error is TransportError, "\(error)")
    }
    #expect((1...2).contains(arrivals.elements.count))
    #expect(arrivals.elements.allSatisfy { $0.authorization == nil }, "\(arrivals.elements)")
    #expect(try await connection.get { $0.options.timeouts.total = .seconds(30) }.status == .unauthorized)
  }
}
