import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FaradayMiddleware

@Suite struct AWSPresignedURLTests {
  private static let key = AWSCredentials(
    accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
  /// 2013-05-24T00:00:00Z
  private static let date = Date(timeIntervalSince1970: 1_369_353_600)

  private static func signature(_ service: String = "s3", key: AWSCredentials = key) -> AWSSignature {
    AWSSignature(AWSScope(region: "us-east-1", service: service), credentials: key, now: { date })
  }

  @Test(arguments: [Duration.zero, .milliseconds(900), .seconds(604_801), .seconds(-1)])
  func `a lifetime outside of 1 second to 7 days is an error`(lifetime: Duration) async throws {
    let error = await #expect(throws: AWSSignatureError.self) {
      try await Self.signature().presignedURL(for: Request("https://b.s3.amazonaws.com/k"), expires: lifetime)
    }
    #expect(error?.reason == .invalidLifetime)
  }

  @Test func `a provider without credentials is an error`() async throws {
    let signature = AWSSignature(AWSScope(region: "us-east-1", service: "s3")) { _ in nil }
    let error = await #expect(throws: AWSSignatureError.self) {
      try await signature.presignedURL(for: Request("https://b.s3.amazonaws.com/k"), expires: .seconds(60))
    }
    #expect(error?.reason == .missingCredentials)
  }

  @Test(arguments: [RequestTarget.asterisk, .verbatim("/other")])
  func `a request target that no URL can have is an error`(target: RequestTarget) async throws {
    var request = try Request("https://b.s3.amazonaws.com/k")
    request.options.requestTarget = target
    let error = await #expect(throws: AWSSignatureError.self) {
      try await Self.signature().presignedURL(for: request, expires: .seconds(60))
    }
    #expect(error?.reason == .invalidTarget)
  }

  /// "Authenticating Requests: Using Query Parameters" of the documentation of Amazon S3.
  @Test func `the example of Amazon's documentation has its signature`() async throws {
    let url = try await Self.signature().presignedURL(
      for: Request("https://examplebucket.s3.amazonaws.com/test.txt"), expires: .seconds(86_400))
    #expect(
      url.absoluteString == "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
        + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z"
        + "&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
        + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
  }

  @Test func `the session token and the request's own query are signed, in any order`() async throws {
    let key = AWSCredentials(accessKey: "AKID", secretKey: "hunter2", sessionToken: "a/b")
    let url = try await Self.signature(key: key).presignedURL(
      for: Request("https://user@b.s3.amazonaws.com?versionId=1#part"), expires: .seconds(1))
    #expect(url.absoluteString.hasPrefix("https://b.s3.amazonaws.com/?versionId=1&X-Amz-Algorithm="))
    #expect(url.absoluteString.contains("&X-Amz-Security-Token=a%2Fb&X-Amz-Signature=") && url.fragment() == nil)
    // The server computes the signature from the URL that it gets.
    let signed = (URLParts(url.absoluteString).query ?? "").split(separator: "&").dropLast().joined(separator: "&")
    let canonical = AWSCanonicalRequest(
      method: "GET", path: "/", query: signed[...], fields: ["host": [Array("b.s3.amazonaws.com".utf8)]],
      payloadHash: "UNSIGNED-PAYLOAD",
      isS3: true)
    #expect(canonical.signedHeaders == "host")
    #expect(String(decoding: canonical.bytes, as: UTF8.self).contains("&versionId=1\nhost:b.s3.amazonaws.com\n"))
  }

  @Test func `header fields of the request must be sent with the URL, the agent's need not`() async throws {
    var request = try Request("https://b.s3.amazonaws.com/k")
    request.method = .put
    request.headers[.contentType] = "image/png"
    request.headers[.userAgent] = "x"
    let url = try await Self.signature().presignedURL(for: request, expires: .seconds(60))
    #expect(url.absoluteString.contains("X-Amz-SignedHeaders=content-type%3Bhost&"))
  }

  @Test func `the signature depends on the method, and for other services on the body`() async throws {
    let bodies: [Body] = [.empty, .text("a")]
    for service in ["s3", "es"] {
      let signature = Self.signature(service)
      var urls: Set<URL> = []
      for body in bodies {
        urls.insert(
          try await signature.presignedURL(for: Request(.post, "https://h.example/k", body: body), expires: .seconds(60)))
      }
      #expect(urls.count == (service == "s3" ? 1 : 2))
      let put = try await signature.presignedURL(for: Request(.put, "https://h.example/k"), expires: .seconds(60))
      #expect(!urls.contains(put))
    }
  }

  @Test func `a presigned URL is redacted where URLs are shown`() async throws {
    let key = AWSCredentials(accessKey: "AKID", secretKey: "hunter2", sessionToken: "hunter3")
    let url = try await Self.signature(key: key).presignedURL(for: Request("https://b.s3.amazonaws.com/k"), expires: .seconds(60))
    let shown = Secrets().redacting(url)
    let signature = try #require(url.absoluteString.split(separator: "=").last)
    #expect(!shown.contains("hunter") && !shown.contains(signature))
  }

  /// The signature is botocore's.
  @Test func `the body's hash of a request for S3 is signed if the request has it`() async throws {
    var request = try Request(.put, "https://b.s3.amazonaws.com/k")
    let name = try #require(HTTPField.Name("X-Amz-Content-Sha256"))
    request.headers[name] = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
    let url = try await Self.signature().presignedURL(for: request, expires: .seconds(60))
    #expect(
      url.absoluteString.hasSuffix(
        "&X-Amz-SignedHeaders=host%3Bx-amz-content-sha256"
          + "&X-Amz-Signature=bc8ef7d1c74101991591d17a3a93a6a6d011b5daecfa02b1c429637ba449fb31"))
  }

  @Test func `the host is signed and written in lower case, as clients send it`() async throws {
    let upper = try await Self.signature().presignedURL(for: Request("https://B.S3.amazonaws.com/K"), expires: .seconds(60))
    let lower = try await Self.signature().presignedURL(for: Request("https://b.s3.amazonaws.com/K"), expires: .seconds(60))
    #expect(upper == lower)
  }
}
