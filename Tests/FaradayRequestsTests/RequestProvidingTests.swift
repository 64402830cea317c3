import FaradayCore
import FaradayRequests
import FaradayTesting
import Testing
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

enum Example: RequestProviding {
  case production, staging

  var baseURL: String {
    switch self {
    case .production: "https://api.example.com/v2"
    case .staging: "https://staging.example.com/v2"
    }
  }

  func request(to endpoint: String, using method: HTTPRequest.Method) -> TypedRequest<Void> {
    baseRequest(to: endpoint, using: method).authenticated(with: .bearer("key"))
      .setting(headerField: .acceptLanguage("cy"))
  }
}

@Suite struct RequestProvidingTests {
  let api = AnonymousRequestProvider(baseURL: "https://example.com/api")

  @Test func `RQ-44 the verbs set endpoint, method and body`() async throws {
    let get: TypedRequest<String> = api.get(.text, from: "a")
    #expect((get.endpoint, get.method) == ("a", .get))
    let writes = [api.post(.text("x"), to: "a"), api.put(.text("x"), to: "a"), api.patch("a", with: .text("x"))]
    #expect(writes.map(\.method) == [.post, .put, .patch])
    for write in writes {
      #expect(write.endpoint == "a")
      #expect(try await write.request().body.text() == "x")
    }
    #expect([api.delete("a"), api.head("a")].map(\.method) == [.delete, .head])
    let custom = try #require(HTTPRequest.Method("CUSTOM"))
    #expect(api.request(to: "a", using: custom).method == custom)
  }

  @Test func `what all requests of an API begin as is not lost on the way to a resource`() throws {
    let request = try Example.production.get(.text, from: "a").request()
    #expect(request.headers[.authorization] == "Bearer key")
    #expect(request.headers[.acceptLanguage] == "cy")
  }

  @Test func `the base URL depends on the environment`() throws {
    #expect(try Example.production.delete("a").request().url.absoluteString == "https://api.example.com/v2/a")
    #expect(try Example.staging.delete("a").request().url.absoluteString == "https://staging.example.com/v2/a")
  }
}
