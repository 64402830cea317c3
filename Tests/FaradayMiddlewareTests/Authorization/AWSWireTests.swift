import Faraday
import FaradaySupport
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FaradayMiddleware

/// The request as received by a server that verifies signatures.
@Suite struct AWSWireTests {
  /// The signature of the received request, computed from the names in `SignedHeaders`.
  private func expected(_ request: String) throws -> (sent: String, computed: String) {
    let parts = request.split(separator: "\r\n\r\n", maxSplits: 1)
    let body = parts.count > 1 ? parts[1] : ""
    let lines = parts[0].split(separator: "\r\n")
    let start = try #require(lines.first?.split(separator: " "))
    var received: [String: [[UInt8]]] = [:]
    for line in lines.dropFirst() {
      let colon = try #require(line.firstIndex(of: ":"))
      received[line[..<colon].lowercased(), default: []].append(Array(line[line.index(after: colon)...].utf8))
    }
    let authorization = String(decoding: try #require(received["authorization"]?.first), as: UTF8.self)
    let match = try #require(authorization.firstMatch(of: /SignedHeaders=([^,]*), Signature=([0-9a-f]*)/))
    let names = match.1.split(separator: ";").map(String.init)
    let target = start[1].split(separator: "?", maxSplits: 1)
    let canonical = AWSCanonicalRequest(
      method: String(start[0]), path: target[0], query: target.count > 1 ? target[1] : "",
      fields: received.filter { names.contains($0.key) }, payloadHash: SHA256.hash(body.utf8).hexadecimal, isS3: true)
    let scope = ["20150830", "us-east-1", "s3", "aws4_request"]
    let text =
      "AWS4-HMAC-SHA256\n20150830T123600Z\n\(scope.joined(separator: "/"))\n" + SHA256.hash(canonical.bytes).hexadecimal
    let key = scope.reduce(Array("AWS4\(AWSVectorTests.key.secretKey)".utf8)) { SHA256.authentication(of: $1.utf8, key: $0) }
    return (String(match.2), SHA256.authentication(of: text.utf8, key: key).hexadecimal)
  }

  @Test(arguments: TestedAdapter.allCases)
  func `the signature matches the request that the server receives`(tested: TestedAdapter) async throws {
    let server = try WireTap()
    let connection = try Connection(
      server.url, adapter: tested.adapter,
      middleware: [
        .awsSignature(
          region: "us-east-1", service: "s3", credentials: AWSVectorTests.key, now: { AWSVectorTests.date })
      ])
    _ = try await connection.get("/a%20b/é$?b=2&a=%7e+x&c")
    _ = try await connection.put("/", body: "text") {
      $0.headers[.accept] = "text/a,  text/b"
      $0.headers[.userAgent] = "me"
    }
    #expect(server.received.count == 2)
    for request in server.received {
      let (sent, computed) = try expected(request)
      #expect(sent == computed, "\(request)")
    }
  }
}
