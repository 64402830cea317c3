import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite struct BodyTests {
  private struct User: Codable, Equatable {
    var name = "Ada"
    var tags = ["a", "b"]
    var inner: [String: Int] = ["n": 1]
  }

  /// Cannot be encoded.
  private struct Ratio: Encodable { var ratio = Double.nan }

  // MARK: failures

  @Test func `a body that cannot be encoded is an error that names the member, and nothing is sent`() async throws {
    let mock = MockAdapter()
    let resource = Example(mock).server.post("a")
    for wrong in [resource.json(Ratio()), resource.fields(Ratio())] {
      let error = await #expect(throws: BodyEncodingError.self) { try await wrong.header("X-A", "1").load() }
      #expect(error?.path == "ratio" && error?.type == "Ratio")
      #expect(error?.description.hasPrefix("POST http://host/a: cannot encode Ratio as the body") == true)
    }
    #expect(mock.recorded.isEmpty)
  }

  @Test func `a missing file fails the loading`() async throws {
    let mock = MockAdapter()
    let resource = Example(mock).server.post("a")
    for wrong in [resource.multipart(file: "/nowhere", name: "f"), resource.sending(.file("/nowhere"))] {
      let error = await #expect(throws: BodyEncodingError.self) { try await wrong.load() }
      #expect("\(error.map { "\($0.underlying)" } ?? "")".hasPrefix("cannot read /nowhere: "))
      #expect(error?.description.hasPrefix("POST http://host/a: ") == true)
    }
    #expect(mock.recorded.isEmpty)
  }

  // MARK: bodies

  @Test(arguments: TestedAdapter.allCases)
  func `SW-12: a value is sent as JSON, with its type`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let example = Example(server, tested)
    let seen = try await example.server.post("inspect").json(User()).inspected()
    #expect(seen.values("Content-Type") == ["application/json"])
    #expect(try await example.echo().json(User()).loadJSON(User.self) == User())
  }

  @Test(arguments: TestedAdapter.allCases)
  func `untyped JSON, arrays and bytes of JSON are sent unchanged`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let post = Example(server, tested).server.post("inspect")
    #expect(try await post.json(["name": "Ada", "age": 36]).inspected().bodyText == #"{"age":36,"name":"Ada"}"#)
    #expect(try await post.json(["Ada", 36, nil]).inspected().bodyText == #"["Ada",36,null]"#)
    let seen = try await post.json(data: Data("{".utf8)).inspected()
    #expect(seen.bodyText == "{" && seen.values("Content-Type") == ["application/json"])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `fields are encoded as a form in the style of the query`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let post = Example(server, tested).server.post("inspect")
    let seen = try await post.fields(["name": "Ada L", "is": true, "tags": ["a", "b"]]).inspected()
    #expect(seen.values("Content-Type") == ["application/x-www-form-urlencoded"])
    #expect(seen.bodyText == "is=1&name=Ada%20L&tags=a,b")
    #expect(try await post.fields(User()).inspected().bodyText == "inner[n]=1&name=Ada&tags=a,b")
  }

  @Test(
    arguments: TestedAdapter.allCases,
    [
      ([0xFF, 0xD8, 0xFF], "image/jpeg"), ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"),
      (Array("GIF89a".utf8), "image/gif"), ([0x49, 0x49, 0x2A, 0], "image/tiff"), ([0x4D, 0x4D, 0, 0x2A], "image/tiff"),
      (Array("%PDF-1.7".utf8), "application/pdf"),
      ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], "application/vnd.ms-office"),
      ([0xFF, 0xD8], "application/octet-stream"), (Array("Four".utf8), "text/plain; charset=utf-8"),
      (Array("\u{FEFF}caf\u{E9}\r\n\t\u{1B}[1m".utf8), "text/plain; charset=utf-8"), ([0x61, 0xE9], "application/octet-stream"),
      (Array("a\u{0}".utf8), "application/octet-stream"), (Array("a\u{7}".utf8), "application/octet-stream"),
      ([0xFE, 0xFF, 0, 0x61], "text/plain; charset=utf-16"), ([0xFF, 0xFE, 0x61, 0], "text/plain; charset=utf-16"),
      ([0xFF, 0xFE, 0x61], "application/octet-stream"), ([0xFF, 0xFE, 0, 0, 0x41, 0, 0, 0], "application/octet-stream"),
      // The limit is within a character; behind it nothing is looked at, and before it everything.
      (Array((String(repeating: "a", count: 1444) + "\u{20AC}\u{0}").utf8), "text/plain; charset=utf-8"),
      (Array((String(repeating: "a", count: 1444) + "\u{0}").utf8), "application/octet-stream"),
      (Array(repeating: 0x61, count: 1440) + [0xE9] + Array(repeating: 0x61, count: 9), "application/octet-stream"),
    ] as [([UInt8], String)])
  func `the type of bytes is sniffed from their beginning`(tested: TestedAdapter, bytes: ([UInt8], String)) async throws {
    let server = try LocalServer()
    let post = Example(server, tested).server.post("inspect")
    #expect(try await post.data(Data(bytes.0)).inspected().values("Content-Type") == [bytes.1])
  }

  @Test(arguments: TestedAdapter.allCases)
  func `an explicit type wins, and the last body replaces earlier ones`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let post = Example(server, tested).server.post("inspect")
    let bytes = Data("%PDF-".utf8)
    #expect(try await post.data(bytes, type: .text).inspected().values("Content-Type") == ["text/plain; charset=utf-8"])
    let custom = try await post.contentType(MediaType("text", "csv")).json(["a": 1]).inspected()
    #expect(custom.values("Content-Type") == ["text/csv"] && custom.bodyText == #"{"a":1}"#)
    let last = try await post.multipart("1", name: "a").json(["a": 1]).fields(["b": 2]).inspected()
    #expect(last.values("Content-Type") == ["application/x-www-form-urlencoded"] && last.bodyText == "b=2")
    let begun = try #require(
      try await post.multipart("1", name: "a").json(["a": 1]).multipart("2", name: "b").inspected().bodyText)
    #expect(begun.contains("name=\"b\"") && !begun.contains("name=\"a\""))
  }

  // MARK: forms with files

  @Test(arguments: TestedAdapter.allCases)
  func `SW-29: a part without a filename is a field, a part with a filename a file with the same bytes`(
    tested: TestedAdapter
  ) async throws {
    let server = try LocalServer()
    let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0, 0xFF])
    let resource = Example(server, tested).echo().contentType(.json).multipart(
      Data(#"{"a":1}"#.utf8), name: "json", type: .json
    ).multipart(png, name: "image", filename: "a.png", type: MediaType("image", "png"))
    // Twice, as a resource can be loaded again.
    for _ in 0..<2 {
      let response = try await resource.load()
      let boundary = try #require(response.headers.contentType?["boundary"])
      var expected = Data("--\(boundary)\r\nContent-Disposition: form-data; name=\"json\"\r\n".utf8)
      expected += Data("Content-Type: application/json\r\n\r\n{\"a\":1}\r\n".utf8)
      expected += Data("--\(boundary)\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a.png\"\r\n".utf8)
      expected += Data("Content-Type: image/png\r\n\r\n".utf8) + png + Data("\r\n--\(boundary)--\r\n".utf8)
      #expect(try await response.body.collect() == expected)
    }
  }

  @Test(arguments: TestedAdapter.allCases)
  func `parts of a form are sent in order`(tested: TestedAdapter) async throws {
    let server = try LocalServer()
    let file = try TemporaryFile(Data("from a file".utf8))
    let resource = Example(server, tested).server.post("inspect").multipart("one", name: "a")
      .multipart(file: file.path, name: "b", filename: "b.txt").multipart(Data("three".utf8), name: "c")
    let text = try #require(try await resource.inspected().bodyText)
    let places = ["one", "from a file", "three"].compactMap { text.firstRange(of: $0)?.lowerBound }
    #expect(places.count == 3 && places == places.sorted())
    #expect(text.contains("name=\"b\"; filename=\"b.txt\"\r\nContent-Type: text/plain"))
  }
}
