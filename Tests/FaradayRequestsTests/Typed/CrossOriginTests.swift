import Faraday
import FaradayTesting
import Testing

/// A typed request to another origin than its connection's.
@Suite struct CrossOriginTests {
  private enum API: RequestProviding {
    case production, staging
    var baseURL: String { self == .production ? "https://api.example.com/v2" : "https://staging.example.com/v2" }
  }

  private let mock = MockAdapter()

  private func connection() throws -> Connection {
    try Connection(API.production.baseURL, headers: ["Authorization": "Bearer hidden"], adapter: mock)
  }

  private func failure(_ status: HTTPResponse.Status, of request: TypedRequest<Void>) async throws -> StatusError {
    mock.stub(times: 1) { Response(status: status, url: $0.url) }
    return try await #require(throws: StatusError.self) { () async throws in _ = try await connection().perform(request) }
  }

  @Test(arguments: [HTTPResponse.Status.unauthorized, .forbidden])
  func `the error of a refused cross-origin request says that it had no credentials`(status: HTTPResponse.Status) async throws {
    let error = try await failure(status, of: API.staging.delete("users/1"))
    #expect(mock.recorded.last?.request.headers[.authorization] == nil)
    #expect(
      "\(error)"
        == "DELETE https://staging.example.com/v2/users/1: unexpected status \(status.code) (sent without the connection's "
        + "header fields and credentials: it is cross-origin to the connection's base URL)")
    #expect(error.isCrossOrigin)
  }

  @Test func `only refused cross-origin requests without own credentials name the missing credentials`() async throws {
    let missing = try await failure(.notFound, of: API.staging.delete("users/1"))
    #expect("\(missing)".hasSuffix("unexpected status 404") && missing.isCrossOrigin)
    let home = try await failure(.unauthorized, of: API.production.delete("users/1"))
    #expect("\(home)".hasSuffix("unexpected status 401") && !home.isCrossOrigin)
    let own = try await failure(.unauthorized, of: API.staging.delete("users/1").authorized(with: .bearer("own")))
    #expect("\(own)".hasSuffix("unexpected status 401") && own.isCrossOrigin)
    #expect(mock.recorded.last?.request.headers[.authorization] == "Bearer own")
  }

  @Test func `the error of a request that was redirected to another origin and back names the redirect`() async throws {
    let mock = MockAdapter()
    mock.stub(
      where: { _ in true },
      respond: { request in
        switch request.url.absoluteString {
        case "https://a.test/": Response(status: .found, headers: [.location: "https://b.test/"], url: request.url)
        case "https://b.test/": Response(status: .found, headers: [.location: "https://a.test/private"], url: request.url)
        default: Response(status: .unauthorized, url: request.url)
        }
      })
    let connection = try Connection(
      "https://a.test/", adapter: mock, middleware: [.redirects(), .statusValidation(.where { $0.code < 400 })])
    let refused = await #expect(throws: StatusError.self) { try await connection.get() }
    #expect(refused?.description.contains("a redirect or a link led to another origin before") == true, "\(refused as Any)")
  }
}
