import Faraday
import FaradayTesting
import Testing
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

enum ExampleAPI: RequestProviding {
  case production, staging

  var baseURL: String {
    switch self {
    case .production: "https://api.example.com/v2"
    case .staging: "https://staging.example.com/v2"
    }
  }

  func request(to endpoint: String, using method: HTTPRequest.Method) -> TypedRequest<Void> {
    baseRequest(to: endpoint, using: method).authorized(with: .bearer("key"))
      .setting(headerField: .acceptLanguage("cy"))
  }
}

@Suite struct RequestProvidingTests {
  let api = AnonymousRequestProvider(baseURL: "https://example.com/api")

  @Test func `RQ-44: the verbs set endpoint, method and body`() async throws {
    let get: TypedRequest<String> = api.get(.text, from: "a")
    #expect((get.endpoint, get.method) == ("a", .get))
    let writes = [api.post(.text("x"), to: "a"), api.put(.text("x"), to: "a"), api.patch("a", with: .text("x"))]
    #expect(writes.map(\.method) == [.post, .put, .patch])
    for write in writes {
      #expect(write.endpoint == "a")
      #expect(try await write.request().body.utf8Text() == "x")
    }
    #expect([api.delete("a"), api.head("a")].map(\.method) == [.delete, .head])
    let custom = try #require(HTTPRequest.Method("CUSTOM"))
    #expect(api.request(to: "a", using: custom).method == custom)
  }

  @Test func `the base request of an API is kept by requests for a resource`() throws {
    let request = try ExampleAPI.production.get(.text, from: "a").request()
    #expect(request.headers[.authorization] == "Bearer key")
    #expect(request.headers[.acceptLanguage] == "cy")
  }

  @Test func `the base URL depends on the environment`() throws {
    #expect(try ExampleAPI.production.delete("a").request().url.absoluteString == "https://api.example.com/v2/a")
    #expect(try ExampleAPI.staging.delete("a").request().url.absoluteString == "https://staging.example.com/v2/a")
  }
}
