import FaradayCoding
import FaradayCore
import FaradayTesting
import FoundationEssentials
import Testing

@Suite struct MultipartFormTests {
  private func text(_ form: MultipartForm) async throws -> String {
    var form = form
    form.boundary = "b"
    return try await form.body.utf8Text()
  }

  @Test func `adding a missing file or a folder is an error`() {
    var form = MultipartForm()
    #expect(throws: BodyError.self) { try form.append(name: "f", file: "/nowhere/at/all") }
    #expect(throws: BodyError.self) { try form.append(name: "f", file: "/tmp") }
    let error = #expect(throws: EncodingError.self) { try MultipartFormEncoder().encode(["f": FormFile("/nowhere")]) }
    guard case .invalidValue(_, let context) = error else { return }
    #expect(context.codingPath.map(\.stringValue) == ["f"] && (context.underlyingError as? BodyError)?.isUnreadable == true)
  }

  @Test func `an encoded form has the arrays and the order of its strategies`() async throws {
    var strategies = FormStrategies()
    (strategies.arrays, strategies.sortsNames) = (.commas, true)
    let value: JSONValue = [
      "b": [1, true, nil, "x"] as JSONValue, "c": [[1] as JSONValue, [2] as JSONValue] as JSONValue, "a": 1,
    ]
    let text = try await text(MultipartFormEncoder(strategies).encode(value))
    let parts = text.matches(of: /name="([^"]*)"\r\n\r\n(.*)\r\n/).map { "\($0.1)=\($0.2)" }
    #expect(parts == ["a=1", "b=1,true,null,x", "c[]=1", "c[]=2"])
  }

  @Test func `a form without parts is its closing boundary`() async throws {
    #expect(try await text(MultipartForm()) == "--b--\r\n")
  }

  @Test func `SW-29: a part without a filename is a field, and a part with one is a file`() async throws {
    var form = MultipartForm()
    form.append(name: "json", data: Data(#"{"a":1}"#.utf8), type: .json)
    form.append(name: "png", data: Data([0x89, 0x50]), filename: "a.png", type: MediaType("image", "png"))
    form.boundary = "b"
    var expected = Data("--b\r\nContent-Disposition: form-data; name=\"json\"\r\nContent-Type: application/json\r\n\r\n".utf8)
    expected += Data("{\"a\":1}\r\n--b\r\nContent-Disposition: form-data; name=\"png\"; filename=\"a.png\"\r\n".utf8)
    expected += Data("Content-Type: image/png\r\n\r\n".utf8) + Data([0x89, 0x50]) + Data("\r\n--b--\r\n".utf8)
    #expect(try await form.body.collect() == expected)
    #expect(form.body.length == Int64(expected.count))
  }

  @Test func `names cannot end their quotes or their line`() async throws {
    var form = MultipartForm()
    form.append(name: "a\"; filename=\"x", value: "1")
    form.append(name: "b\r\nX-Evil: 1", data: Data(), filename: "c\"\r\n\r\nbody\n", type: nil)
    #expect(
      try await text(form) == """
        --b\r
        Content-Disposition: form-data; name="a%22; filename=%22x"\r
        \r
        1\r
        --b\r
        Content-Disposition: form-data; name="b%0D%0AX-Evil: 1"; filename="c%22%0D%0A%0D%0Abody%0A"\r
        \r
        \r
        --b--\r

        """)
  }

  @Test func `boundaries are unique tokens`() {
    let boundaries = (0..<100).map { _ in MultipartForm().boundary }
    #expect(Set(boundaries).count == 100)
    #expect(boundaries.allSatisfy { HTTPField.Name($0) != nil && $0.count <= 70 })
    #expect(MultipartForm().contentType.description.hasPrefix("multipart/form-data; boundary=faraday-"))
  }

  @Test func `the length is known and the form replayable if every part is`() throws {
    var form = MultipartForm()
    form.append(name: "s", body: .stream(Pieces("abc"), length: 3, isReplayable: true))
    #expect(form.body.length != nil && form.body.isReplayable)
    form.append(name: "t", body: .stream(Pieces("abc")))
    #expect(form.body.length == nil && !form.body.isReplayable)
  }

  @Test func `small parts are joined in memory, and a large one is not copied`() throws {
    var form = MultipartForm()
    form.append(name: "a", value: "text")
    form.append(name: "b", data: Data(count: 64 << 10))
    #expect(form.body.data?.count ?? 0 > 64 << 10)
    form.append(name: "c", data: Data(count: 64 << 10 + 1))
    #expect(form.body.data == nil && form.body.length != nil)
  }

  @Test func `a file is read while it is sent, and can be sent again`() async throws {
    let contents = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    let file = try TemporaryFile(contents)
    var form = MultipartForm()
    try form.append(name: "f", file: file.path, filename: "big.bin")
    form.append(name: "after", value: "text")
    let body = form.body
    for _ in 0..<2 {
      let whole = try await body.collect()
      #expect(Int64(whole.count) == body.length)
      #expect(whole.firstRange(of: contents) != nil)
    }
  }

  @Test func `a value becomes a form with files anywhere in it`() async throws {
    struct Model: Encodable {
      struct Inner: Encodable {
        let file: FormFile
        let note: String? = nil
        enum Keys: CodingKey { case file, note }
        func encode(to encoder: any Encoder) throws {
          var container = encoder.container(keyedBy: Keys.self)
          try container.encode(file, forKey: .file)
          try container.encode(note, forKey: .note)
        }
      }
      let title = "t"
      let tags = ["x", "y"]
      let bytes = Data([0, 255])
      let inner: [Inner]
    }
    let file = try TemporaryFile(Data("contents".utf8))
    var form = try MultipartFormEncoder().encode(Model(inner: [.init(file: FormFile(file.path, filename: "a.TXT"))]))
    #expect(form.parts.map(\.name) == ["title", "tags[]", "tags[]", "bytes", "inner[][file]", "inner[][note]"])
    #expect(form.parts[3].body.data == Data([0, 255]) && form.parts[3].type == nil)
    #expect(form.parts[4].filename == "a.TXT" && form.parts[4].type == MediaType("text", "plain"))
    #expect(try await form.parts[4].body.utf8Text() == "contents")
    #expect(try await form.parts[5].body.utf8Text() == "null")
    form.boundary = "b"
    #expect(try await form.body.utf8Text().contains("name=\"inner[][file]\"; filename=\"a.TXT\"\r\nContent-Type: text/plain\r\n"))
  }

  @Test(arguments: [
    ("a.png", "image/png"), ("a.b.JSON", "application/json"), ("a", "application/octet-stream"),
    ("a.", "application/octet-stream"), ("png", "application/octet-stream"),
  ])
  func `types are derived from the file extension`(filename: String, type: String) {
    #expect(MediaType(extensionOf: filename).description == type)
  }
}
