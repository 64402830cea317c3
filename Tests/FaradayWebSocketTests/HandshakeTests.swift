@testable import FaradayWebSocket
import FaradayCore
import Testing

@Suite struct HandshakeTests {
  @Test func `SHA-1 has the results of FIPS 180`() {
    func hex(_ text: String) -> String {
      SHA1.hash(Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    #expect(hex("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d")
    #expect(hex("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
    #expect(hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") == "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
  }

  private func agreement(
    _ changes: KeyValuePairs<String, String?> = [:], protocols: [String] = [], compresses: Bool = false
  ) throws(Problem) -> OpeningHandshake.Agreement {
    // RFC 6455, section 1.3.
    let handshake = OpeningHandshake(key: "dGhlIHNhbXBsZSBub25jZQ==", protocols: protocols, compresses: compresses)
    var headers: HTTPFields = [
      .upgrade: "websocket", .connection: "Upgrade", .secWebSocketAccept: "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
    ]
    for (name, value) in changes {
      if let name = HTTPField.Name(name) { headers[name] = value }
    }
    let url = URL(string: "http://x/") ?? URL(filePath: "/")
    return try handshake.agreement(in: Response(status: .switchingProtocols, headers: headers, url: url))
  }

  @Test func `a correct answer is accepted`() throws {
    #expect(try agreement() == .init())
    #expect(try agreement(["Upgrade": "WebSocket", "Connection": "keep-alive, upgrade"]) == .init())
    #expect(try agreement(["Sec-WebSocket-Protocol": "v2"], protocols: ["v1", "v2"]).subprotocol == "v2")
  }

  @Test(
    arguments: [
      ("Upgrade", nil), ("Upgrade", "h2c"), ("Connection", nil), ("Connection", "close"), ("Connection", "upgraded"),
      ("Sec-WebSocket-Accept", nil), ("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOO="),
      ("Sec-WebSocket-Accept", "S3PPLMBITXAQ9KYGZZHZRBK+XOO="), ("Sec-WebSocket-Protocol", "v3"),
      ("Sec-WebSocket-Extensions", "permessage-deflate"),
    ] as [(String, String?)])
  func `a wrong answer is refused`(name: String, value: String?) {
    #expect(throws: Problem.self) { try agreement([name: value], protocols: ["v1"]) }
  }

  @Test func `the parameters of compression are read`() throws {
    func compression(_ value: String) throws -> Compression? {
      try agreement(["Sec-WebSocket-Extensions": value], compresses: true).compression
    }
    let plain = try compression("permessage-deflate")
    #expect(plain?.clientKeepsContext == true)
    #expect(plain?.serverKeepsContext == true)
    #expect(plain?.deflation != nil)
    let full = try compression(
      "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=10; "
        + "client_max_window_bits=\"9\"")
    #expect(full?.clientKeepsContext == false)
    #expect(full?.serverKeepsContext == false)
    #expect(full?.clientWindow == 9)
    // zlib cannot write this window: nothing is compressed.
    #expect(try compression("permessage-deflate; client_max_window_bits=8")?.deflation == nil)
    for wrong in [
      "permessage-deflate; x", "permessage-deflate; client_max_window_bits", "permessage-deflate; client_max_window_bits=16",
      "permessage-deflate; client_max_window_bits=7", "permessage-deflate; client_max_window_bits=010",
      "permessage-deflate; server_no_context_takeover=1", "permessage-deflate; server_max_window_bits",
      "permessage-deflate; server_no_context_takeover; server_no_context_takeover", "x-webkit-deflate-frame",
      "permessage-deflate, permessage-deflate", "permessage-deflate;",
    ] {
      #expect(throws: Problem.self, "\(wrong)") { try compression(wrong) }
    }
  }

  @Test func `each handshake has another key of sixteen bytes`() throws {
    let keys = try (0..<20).map { _ in
      var request = try Request("http://x/")
      try OpeningHandshake(protocols: ["a", "b"], compresses: true).apply(to: &request, frames: .empty)
      #expect(request.headers[.secWebSocketProtocol] == "a, b")
      #expect(request.headers[.secWebSocketVersion] == "13")
      #expect(request.headers[.secWebSocketExtensions] == "permessage-deflate; client_max_window_bits")
      return request.headers[.secWebSocketKey] ?? ""
    }
    #expect(Set(keys).count == 20)
    #expect(keys.allSatisfy { Data(base64Encoded: $0)?.count == 16 })
  }

  @Test func `the name of a subprotocol must be a token, and unique`() throws {
    for protocols in [["a b"], ["a", "a"], [""], ["a,b"]] {
      #expect(throws: WebSocketError.self) {
        var request = try Request("http://x/")
        try OpeningHandshake(protocols: protocols, compresses: false).apply(to: &request, frames: .empty)
      }
    }
  }
}
