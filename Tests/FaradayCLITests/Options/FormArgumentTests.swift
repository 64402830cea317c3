import Faraday
import Foundation
import Testing

@testable import FaradayCLI

@Suite struct FormArgumentTests {
  /// A field of a command line, as it should be read.
  private static let fields: [(text: String, name: String, content: FormArgument.Content, type: String?, filename: String?)] = [
    ("a=b", "a", .text("b"), nil, nil), ("a=b=c", "a", .text("b=c"), nil, nil), ("=b", "", .text("b"), nil, nil),
    ("a= b ", "a", .text("b"), nil, nil), (#"a=" b;\"c\\ ""#, "a", .text(#" b;"c\ "#), nil, nil),
    (#"a="b"#, "a", .text(#""b"#), nil, nil),
    ("a={};type=application/json", "a", .text("{}"), "application/json", nil),
    ("a=b;type=text/x; charset=utf-8 ;filename=f g ", "a", .text("b"), "text/x; charset=utf-8", "f g"),
    ("a=b;TYPE=text/x", "a", .text("b"), "text/x", nil),
    ("a=@f", "a", .file("f", isNamed: true), nil, nil), ("a=<f", "a", .file("f", isNamed: false), nil, nil),
    (#"a=@"f;g,h";filename="i""#, "a", .file("f;g,h", isNamed: true), nil, "i"),
  ]

  @Test(arguments: fields.indices) func `a form field is parsed as in curl`(_ index: Int) throws {
    let field = Self.fields[index]
    let argument = try FormArgument(field.text)
    #expect(argument.name == field.name)
    #expect(argument.content == field.content)
    #expect(argument.type == field.type && argument.filename == field.filename)
    #expect(argument.warnings.isEmpty)
  }

  @Test(arguments: [
    "a=@f,g", #"a=@"f",g"#, "a=@f;type=text/x,g", "=(;type=multipart/mixed", "=)", "a=b;encoder=base64", "a=b;headers=X-A: 1",
    "a=@f;headers=@g",
  ])
  func `several files share one name and keep their own attributes`(_ text: String) {
    #expect { try FormArgument(text) } throws: {
      ($0 as? UsageFailure)?.message.hasPrefix("option -F: not supported: ") == true
    }
  }

  @Test func `only the first equals sign of --form-string is special`() throws {
    #expect(try FormArgument("a=@f;type=x", isLiteral: true).content == .text("@f;type=x"))
  }

  @Test func `an unreadable file is a usage error, and an odd argument is a warning`() throws {
    for text in ["nothing", "a=b;type=none", "a=b;type=/x"] {
      #expect { try FormArgument(text) } throws: { ($0 as? UsageFailure)?.status == 2 }
    }
    #expect(try FormArgument("a=b;colour=red").warnings == ["skip unknown form field: colour=red"])
    #expect(try FormArgument(#"a="b"c"#).warnings == ["Trailing data after quoted form parameter"])
  }

  @Test func `the body has the parts with their headers`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("<p>", to: "p.html")
    let arguments = ["a=1", "f=@\(path)", "t=<\(path)", #"q"q=2"#]
    let form = try MultipartForm(arguments.map { try FormArgument($0) })
    let boundary = form.boundary
    #expect(boundary.hasPrefix("------------------------") && boundary.count == 40)
    let text = String(decoding: try await form.body.collect(upTo: 10_000), as: UTF8.self)
    let expected = [
      "Content-Disposition: form-data; name=\"a\"\r\n\r\n1",
      "Content-Disposition: form-data; name=\"f\"; filename=\"p.html\"\r\nContent-Type: text/html\r\n\r\n<p>",
      "Content-Disposition: form-data; name=\"t\"\r\nContent-Type: text/html\r\n\r\n<p>",
      "Content-Disposition: form-data; name=\"q%22q\"\r\n\r\n2",
    ]
    #expect(text == expected.map { "--\(boundary)\r\n\($0)\r\n" }.joined() + "--\(boundary)--\r\n")
    #expect(form.body.length == Int64(text.utf8.count))
  }

  @Test(arguments: [
    ("a=@f.json", "application/json"), ("a=@f;filename=g.csv", "text/csv"), ("a=@f.txt", "text/plain"),
    ("a=@f", "application/octet-stream"),
    ("a=b;filename=g.txt", "text/plain"), ("a=b;filename=g", nil), ("a=b", nil), ("a=<f.html", "text/html"), ("a=<f.txt", nil),
    ("a=<f", nil), ("a=@f.json;type=text/x", "text/x"),
  ])
  func `the type of a part is that of its extension`(_ text: String, _ type: String?) throws {
    let argument = try FormArgument(text)
    #expect(argument.head.dropFirst() == (type.map { ["Content-Type: \($0)"] } ?? [])[...])
  }

  @Test func `a file that does not exist is a read error`() {
    #expect { try MultipartForm([try FormArgument("a=@/nonexistent/x")]) } throws: { ($0 as? CommandFailure)?.status == 26 }
  }
}
