import Faraday
import FaradayCurl
import FaradayHAL
import Testing

/// The HAL examples of the documentation.
@Suite struct ExampleTests {
  @Test func `the examples run`() async throws {
    struct Book: Codable { let title: String }
    let server = try PageServer([
      "/": #"{"_links": {"search": {"href": "/books{?q}", "templated": true}}}"#,
      "/books?q=emma": #"{"_embedded": {"book": [{"title": "Emma", "_links": {"self": {"href": "/books/1"}}}]}}"#,
    ])
    let connection = try Connection(server.url, adapter: CurlAdapter(), middleware: [.halEncoding, .halDecoding])

    let page = try await connection.follow("search", variables: ["q": "emma"]).last
    let books = try page?.embedded(for: "book").map { try $0.decode(Book.self) } ?? []

    let root = try await connection.get().representation
    let uri = try root?.link(for: "search")?.expand(["q": "a b"])

    let book = try Representation(encoding: Book(title: "Emma"))
      .with(rel: "author", href: "/authors/2")
      .with(curie: "app", href: "https://docs.example.com/rels/{rel}")
      .with(HALLink(rel: "app:reviews", href: "/reviews{?page}", title: "Reviews"))
    let response = try await connection.post("books", body: .hal(book))

    #expect(books.map(\.title) == ["Emma"] && uri == "/books?q=a%20b")
    #expect(book.link(for: "https://docs.example.com/rels/reviews")?.isTemplated == true && response.status == .notFound)
  }
}
