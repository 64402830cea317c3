import Faraday
import FaradaySupport
import FaradayTesting
import FoundationEssentials
import Testing

@testable import FaradayMiddleware

/// A request of the published Signature Version 4 test suite (`aws-sig-v4-test-suite`), with its signature. The path and the query are
/// as they stand in the suite's request line, which may have characters that no URL has.
struct AWSVector: Sendable, CustomTestStringConvertible {
  let name: String
  var method = "GET"
  var path = "/"
  var query = ""
  var fields: [(String, [String])] = []
  var body = ""
  let signature: String

  var testDescription: String { name }

  private static let unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
  private static let vanilla = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
  private static let postVanilla = "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
  private static let query = "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"
  private static let postQuery = "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"
  static let token =
    "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI"
    + "/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT"
    + "38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=="

  static let all = [
    AWSVector(name: "get-vanilla", signature: vanilla),
    AWSVector(name: "get-vanilla-query", signature: vanilla),
    AWSVector(name: "get-vanilla-empty-query-key", query: "Param1=value1", signature: query),
    AWSVector(
      name: "get-vanilla-query-order-key-case", query: "Param2=value2&Param1=value1",
      signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
    AWSVector(
      name: "get-vanilla-query-order-value", query: "Param1=value2&Param1=value1",
      signature: "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694"),
    AWSVector(
      name: "get-vanilla-query-unreserved", query: "\(unreserved)=\(unreserved)",
      signature: "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"),
    AWSVector(
      name: "get-vanilla-utf8-query", query: "\u{1234}=bar",
      signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
    AWSVector(
      name: "get-unreserved", path: "/" + unreserved,
      signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
    AWSVector(
      name: "get-utf8", path: "/\u{1234}", signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
    AWSVector(
      name: "get-space", path: "/example space/", signature: "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"),
    AWSVector(name: "get-slash", path: "//", signature: vanilla),
    AWSVector(name: "get-slash-dot-slash", path: "/./", signature: vanilla),
    AWSVector(
      name: "get-slash-pointless-dot", path: "/./example",
      signature: "ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5"),
    AWSVector(
      name: "get-slashes", path: "//example//", signature: "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84"),
    AWSVector(name: "get-relative", path: "/example/..", signature: vanilla),
    AWSVector(name: "get-relative-relative", path: "/example1/example2/../..", signature: vanilla),
    AWSVector(
      name: "get-header-key-duplicate", fields: [("My-Header1", ["value2", "value2", "value1"])],
      signature: "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"),
    AWSVector(
      name: "get-header-value-multiline", fields: [("My-Header1", ["value1\n  value2\n     value3"])],
      signature: "cfd34249e4b1c8d6b91ef74165d41a32e5fab3306300901bb65a51a73575eefd"),
    AWSVector(
      name: "get-header-value-order", fields: [("My-Header1", ["value4", "value1", "value3", "value2"])],
      signature: "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"),
    AWSVector(
      name: "get-header-value-trim", fields: [("My-Header1", [" value1"]), ("My-Header2", [" \"a   b   c\""])],
      signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
    AWSVector(name: "post-vanilla", method: "POST", signature: postVanilla),
    AWSVector(name: "post-vanilla-query", method: "POST", query: "Param1=value1", signature: postQuery),
    AWSVector(name: "post-vanilla-empty-query-value", method: "POST", query: "Param1=value1", signature: postQuery),
    AWSVector(
      name: "post-vanilla-query-nonunreserved", method: "POST", query: "@#$%^&+=/,?><`\";:\\|][{}",
      signature: "66c82657c86e26fb25238d0e69f011edc4c6df5ae71119d7cb98ed9b87393c1e"),
    AWSVector(
      name: "post-header-key-sort", method: "POST", fields: [("My-Header1", ["value1"])],
      signature: "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"),
    AWSVector(
      name: "post-header-value-case", method: "POST", fields: [("My-Header1", ["VALUE1"])],
      signature: "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"),
    AWSVector(name: "post-sts-header-after", method: "POST", signature: postVanilla),
    AWSVector(
      name: "post-sts-header-before", method: "POST", fields: [("X-Amz-Security-Token", [token])],
      signature: "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"),
    AWSVector(
      name: "post-x-www-form-urlencoded", method: "POST", fields: [("Content-Type", ["application/x-www-form-urlencoded"])],
      body: "Param1=value1", signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
    AWSVector(
      name: "post-x-www-form-urlencoded-parameters", method: "POST",
      fields: [("Content-Type", ["application/x-www-form-urlencoded; charset=utf8"])], body: "Param1=value1",
      signature: "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe"),
  ]
}

/// Published signatures.
@Suite struct AWSVectorTests {
  static let date = Date(timeIntervalSince1970: 1_440_938_160)
  static let key = AWSCredentials(accessKey: "AKIDEXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")

  @Test(arguments: AWSVector.all)
  func `the canonical requests of the AWS test suite have the expected signatures`(vector: AWSVector) throws {
    var fields = ["host": [Array("example.amazonaws.com".utf8)], "x-amz-date": [Array("20150830T123600Z".utf8)]]
    for (name, values) in vector.fields { fields[name.lowercased()] = values.map { Array($0.utf8) } }
    let canonical = AWSCanonicalRequest(
      method: vector.method, path: vector.path[...], query: vector.query[...], fields: fields,
      payloadHash: SHA256.hash(vector.body.utf8).hexadecimal, isS3: false)
    let scope = "20150830/us-east-1/service/aws4_request"
    let key = ["20150830", "us-east-1", "service", "aws4_request"].reduce(Array("AWS4\(Self.key.secretKey)".utf8)) {
      SHA256.authentication(of: $1.utf8, key: $0)
    }
    let text = "AWS4-HMAC-SHA256\n20150830T123600Z\n\(scope)\n\(SHA256.hash(canonical.bytes).hexadecimal)"
    #expect(SHA256.authentication(of: text.utf8, key: key).hexadecimal == vector.signature)
  }

  /// Vectors that need invalid URLs or header fields are left out.
  private static let sendable = AWSVector.all.filter { vector in
    !["get-space", "get-utf8", "get-header-value-multiline", "post-vanilla-query-nonunreserved"].contains(vector.name)
  }

  @Test(arguments: sendable)
  func `requests that are sent have the signatures of the AWS test suite`(vector: AWSVector) async throws {
    let mock = MockAdapter()
    mock.stub { Response(status: .ok, url: $0.url) }
    let hasToken = vector.name == "post-sts-header-before"
    var credentials = Self.key
    credentials.sessionToken = hasToken ? AWSVector.token : nil
    let connection = try Connection(
      "https://example.amazonaws.com", adapter: mock,
      middleware: [.awsSignature(region: "us-east-1", service: "service", credentials: credentials, now: { Self.date })])
    let url = "https://example.amazonaws.com" + vector.path + (vector.query.isEmpty ? "" : "?" + vector.query)
    var request = try Request(try #require(HTTPRequest.Method(vector.method)), url, body: .text(vector.body))
    if !hasToken {
      for (name, values) in vector.fields { for value in values { try request.headers.append(name: name, value: value) } }
    }
    _ = try await connection.send(request)
    let headers = try #require(mock.recorded.first?.request.headers)
    let names = (vector.fields.map { $0.0.lowercased() } + ["host", "x-amz-date"]).sorted().joined(separator: ";")
    #expect(
      headers[.authorization]
        == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=\(names), "
        + "Signature=\(vector.signature)")
    #expect(headers["X-Amz-Date"] == "20150830T123600Z" && headers["X-Amz-Content-Sha256"] == nil)
    #expect(headers["X-Amz-Security-Token"] == credentials.sessionToken)
  }

  /// "Examples: Signature Calculations" of the S3 API reference.
  @Test(arguments: [
    (
      "GET", "/test.txt", ["Range": "bytes=0-9"], "", "host;range;x-amz-content-sha256;x-amz-date",
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
    ),
    (
      "PUT", "/test$file.text", ["Date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"],
      "Welcome to Amazon S3.", "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
      "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
    ),
    (
      "GET", "/?lifecycle", [:], "", "host;x-amz-content-sha256;x-amz-date",
      "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
    ),
    (
      "GET", "/?max-keys=2&prefix=J", [:], "", "host;x-amz-content-sha256;x-amz-date",
      "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
    ),
  ])
  func `the examples of the S3 documentation have the expected signatures`(
    method: String, target: String, fields: [String: String], body: String, names: String, signature: String
  ) async throws {
    let mock = MockAdapter()
    mock.stub { Response(status: .ok, url: $0.url) }
    let key = AWSCredentials(
      accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    let connection = Connection(
      adapter: mock,
      middleware: [
        .awsSignature(
          region: "us-east-1", service: "s3", credentials: key, now: { Date(timeIntervalSince1970: 1_369_353_600) })
      ])
    var request = try Request(
      try #require(HTTPRequest.Method(method)), "https://examplebucket.s3.amazonaws.com" + target, body: .text(body))
    for (name, value) in fields { try request.headers.set(name: name, value: value) }
    _ = try await connection.send(request)
    let headers = try #require(mock.recorded.first?.request.headers)
    #expect(
      headers[.authorization]
        == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=\(names), "
        + "Signature=\(signature)")
    #expect(headers["X-Amz-Content-Sha256"] == SHA256.hash(body.utf8).hexadecimal)
  }
}
