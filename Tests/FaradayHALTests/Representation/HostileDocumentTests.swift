import FaradayCore
import FaradayCoding
import FaradayHAL
import FaradayTesting
import TestSupport
import Testing

/// Documents that a server made so that reading them takes as long as may be. No time is measured: what takes time in proportion to
/// the square of their length takes minutes here, or all memory.
@Suite(.enabled(if: TestRun.isComplete, "Scripts/check runs it")) struct HostileDocumentTests {
  private func document(curies: some Sequence<(String, String)>, rels: some Sequence<String>) -> JSONValue {
    let curies = curies.map { ["name": $0, "href": $1] as JSONValue }
    var links: JSONObject = ["curies": curies]
    for (index, rel) in rels.enumerated() { links[rel] = ["href": "/\(index)"] }
    return ["_links": links]
  }

  @Test func `many prefixes and relations take linear time`() throws {
    let count = 40_000
    let json = document(
      curies: (0..<count).map { ("p\($0)", "/\($0)/{rel}") }, rels: (0..<count).map { "p\($0):r" })
    let read = try Representation(data: json.data())
    #expect(read.curies.count == count && read.links.rels.count == count)
    #expect(read.link(for: "p\(count - 1):r")?.href == "/\(count - 1)" && read.link(for: "/7/r")?.href == "/7")
    #expect(read.link(for: "none") == nil && read.links(for: "p0:x").isEmpty)
    #expect(read.contract(uri: "/\(count - 1)/x") == "p\(count - 1):x")
    #expect(read.json["_links"]?.object?.count == count + 1)
  }

  @Test func `a very long prefix is not expanded for every relation`() throws {
    let long = String(repeating: "a", count: 500_000)
    let json = document(
      curies: [("ea", "/\(long)/{rel}"), ("b", "/\(long)/{rel}/")], rels: (0..<20_000).map { "\($0 % 2 == 0 ? "ea" : "b"):\($0)" }
    )
    let read = try Representation(json: json)
    #expect(
      read.link(for: "ea:2")?.href == "/2" && read.link(for: "ea:none") == nil && read.link(for: "/\(long)/3/")?.href == "/3")
  }

  @Test func `the path of an error is built only for errors`() throws {
    let rel = String(repeating: "r", count: 500_000)
    let many: [JSONValue] = Array(repeating: [:], count: 100_000)
    let read = try Representation(json: ["_embedded": [rel: many]])
    #expect(read.embedded[rel].count == many.count)
    let error = #expect(throws: HALError.self) { try Representation(json: ["_embedded": [rel: many + [1]]]) }
    #expect(error?.reason == .notHAL(path: "_embedded.\(rel.prefix(1014))…", problem: "it is not an object"))
  }

  @Test func `embedded resources inherit outer prefixes, and inner ones take precedence`() throws {
    var inner = Representation().with(curie: "x", href: "/inner/{rel}").with(rel: "x:a", href: "/a").with(
      rel: "out:b", href: "/b")
    for _ in 0..<60 { inner = Representation().with(curie: "x", href: "/x/{rel}").with(rel: "down", embedded: inner) }
    inner.curies.append(Curie("out", href: "/out/{rel}"))
    var taken = try #require(Representation(json: inner.json).embedded(for: "down").first)
    while let next = taken.embedded(for: "down").first { taken = next }
    #expect(taken.expand(curie: "x:a") == "/inner/a" && taken.link(for: "/out/b")?.href == "/b")
  }

  private func embedded(_ depth: Int) -> JSONValue {
    (0..<depth).reduce([:]) { inner, _ in ["_embedded": ["a": [inner]]] }
  }

  @Test func `nested representations are read on a small stack down to 64 levels`() async throws {
    let (deepest, deeper) = (embedded(64), embedded(65))
    let outcome = try await onSmallStack { () -> (isSame: Bool, reason: String?) in
      let read = try? Representation(json: deepest)
      guard let read, read.json == deepest, read == read, read.hashValue == read.hashValue else { return (false, nil) }
      do throws(HALError) { _ = try Representation(json: deeper) } catch { return (true, error.problem) }
      return (true, nil)
    }
    #expect(outcome == (true, "it is more than 64 levels deep"))
  }

  @Test func `a prefix with a repeated variable is invalid, and unknown variables cost nothing`() throws {
    let count = 20_000
    for names in [Array(repeating: "rel", count: count), (0..<count).map { "a\($0)" } + ["rel"]] {
      let json = document(curies: [("c", "{\(names.joined(separator: ","))}")], rels: (0..<count).map { "c:\($0)" })
      let read = try Representation(json: json)
      #expect(read.link(for: "none") == nil && read.link(for: "c:7")?.href == "/7")
    }
  }

  @Test func `the existing relations are collected in one pass, and few are listed`() async throws {
    let count = 50_000
    var links: JSONObject = [:]
    var embedded: JSONObject = [:]
    for index in 0..<count {
      links["a\(index)"] = ["href": "/"]
      embedded["b\(index)"] = [:]
    }
    let data = try JSONValue.object(["_links": links, "_embedded": embedded]).data()
    let mock = MockAdapter()
    mock.stub { Response(status: .ok, headers: [.contentType: "application/hal+json"], body: .data(data), url: $0.url) }
    let connection = try Connection("http://host/", adapter: mock)
    let error = await #expect(throws: HALError.self) { try await connection.follow("none") }
    guard case .missingRelation(let present) = error?.reason else { return #expect(Bool(false), "another reason") }
    #expect(present.count == 2 * count)
    #expect(error.map { "\($0)".utf8.count < 5000 } == true)
  }
}
