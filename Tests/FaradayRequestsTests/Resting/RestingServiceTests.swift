import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

/// RK-22: the whole of it, over the wire.
@Suite struct RestingServiceTests {
  struct Post: Codable, Equatable, Sendable {
    var id: Int
    var title: String
  }

  /// A small REST service: posts, and pictures for them.
  private let server: MockServer

  init() throws {
    server = try MockServer { request in
      switch request.line {
      case "GET /posts/42": .json(Post(id: 42, title: "Hello"))
      case "POST /posts": .text(request.text, type: .json, status: .created)
      case "POST /posts/42/picture": .status(.ok)
      default: .status(.notFound)
      }
    }
  }

  private func client(_ tested: TestedAdapter) throws -> RestingClient {
    try RestingClient(
      server.url, adapter: tested.adapter,
      converter: RestingRequestConverter(.init(contextPath: "/posts")))
  }

  @Test(arguments: TestedAdapter.allCases) func `RK-22: a missing post is an error`(tested: TestedAdapter) async throws {
    let gone = RestingRequest(
      endpoint: Endpoint<Void, Void>(.delete, "/{id}", encoding: .query), variables: ["id": 1])
    let error = await #expect(throws: StatusError.self) { try await client(tested).perform(gone) }
    #expect(error.map { "\($0)" } == "DELETE \(server.url)/posts/1: unexpected status 404")
  }

  @Test(arguments: TestedAdapter.allCases) func `RK-22: a post is fetched by its id`(tested: TestedAdapter) async throws {
    let post = Endpoint<Void, Post>(.get, "/{id}", encoding: .query)
    let response = try await client(tested).perform(RestingRequest(endpoint: post, variables: ["id": 42]))
    #expect(response.value == Post(id: 42, title: "Hello"))
    #expect(server.recorded.map(\.line) == ["GET /posts/42"])
  }

  @Test(arguments: TestedAdapter.allCases) func `RK-22: a post is created`(tested: TestedAdapter) async throws {
    let create = Endpoint<Post, Post>(.post, "", encoding: .json)
    let response = try await client(tested).perform(RestingRequest(endpoint: create, body: Post(id: 1, title: "New")))
    #expect(response.value == Post(id: 1, title: "New") && response.status == .created)
    #expect(server.recorded.map(\.line) == ["POST /posts"])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `RK-22: a picture is uploaded in a form with progress`(tested: TestedAdapter) async throws {
    let picture = pattern(300_000)
    let file = try TemporaryFile(picture)
    let request = RestingRequest(
      endpoint: Endpoint<Portrait, Void>(.post, "/{id}/picture", encoding: .multipartFormData),
      body: Portrait(file: FormFile(file.path, filename: "ada.jpg")), variables: ["id": 42])
    let progress = Log<TransferProgress>()
    let upload = try client(tested).promise { try await $0.perform(request, onProgress: $1) }
    upload.progress { progress.append($0) }
    #expect(try await upload.value.status == .ok)
    let recorded = try #require(server.recorded.first)
    #expect(recorded.line == "POST /posts/42/picture")
    #expect(progress.elements.last == TransferProgress(bytes: Int64(recorded.body.count), total: Int64(recorded.body.count)))
    let part = "name=\"file\"; filename=\"ada.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n"
    #expect(recorded.body.firstRange(of: Data(part.utf8) + picture) != nil)
  }
}
