import Faraday
import Foundation
import Testing

@testable import FaradayCLI

@Suite struct FormArgumentTests {
  typealias Part = FormArgument.Part

  @Test(arguments: [
    ("a=b", "a", Part(content: .text("b"))), ("a=b=c", "a", Part(content: .text("b=c"))), ("=b", "", Part(content: .text("b"))),
    ("a= b ", "a", Part(content: .text("b"))), (#"a=" b;\"c\\ ""#, "a", Part(content: .text(#" b;"c\ "#))),
    (#"a="b"#, "a", Part(content: .text(#""b"#))),
    ("a={};type=application/json", "a", Part(content: .text("{}"), type: "application/json")),
    (
      "a=b;type=text/x; charset=utf-8 ;filename=f g ", "a",
      Part(content: .text("b"), type: "text/x; charset=utf-8", filename: "f g")
    ),
    ("a=b;TYPE=text/x;encoder=base64", "a", Part(content: .text("b"), type: "text/x", encoder: "base64")),
    (#"a=b;headers="X-A: 1";headers=X-B: 2"#, "a", Part(content: .text("b"), headers: ["X-A: 1", "X-B: 2"])),
    ("a=@f", "a", Part(content: .file("f", isNamed: true))), ("a=<f", "a", Part(content: .file("f", isNamed: false))),
    (#"a=@"f;g,h";filename="i""#, "a", Part(content: .file("f;g,h", isNamed: true), filename: "i")),
  ])
  func `a field is read as curl reads it`(_ text: String, _ name: String, _ part: Part) throws {
    let argument = try FormArgument(text)
    #expect(argument.name == name)
    #expect(argument.kind == .part(part))
    #expect(argument.warnings.isEmpty)
  }

  @Test func `several files have one name, each with what is its own`() throws {
    #expect(
      try FormArgument("a=@f;type=text/a,g;filename=x").kind
        == .files([
          Part(content: .file("f", isNamed: true), type: "text/a"), Part(content: .file("g", isNamed: true), filename: "x"),
        ]))
  }

  @Test func `nothing but the first equals sign means anything in a string`() throws {
    #expect(try FormArgument("a=@f;type=x", isLiteral: true).kind == .part(Part(content: .text("@f;type=x"))))
  }

  @Test func `what cannot be read is a usage error, and what is odd a warning`() throws {
    for text in ["nothing", "a=b;type=none", "a=b;type=/x"] {
      #expect { try FormArgument(text) } throws: { ($0 as? UsageFailure)?.status == 2 }
    }
    #expect(try FormArgument("a=b;colour=red").warnings == ["skip unknown form field: colour=red"])
    #expect(try FormArgument(#"a="b"c"#).warnings == ["Trailing data after quoted form parameter"])
  }

  @Test func `the body has the parts with their heads`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("<p>", to: "p.html")
    let arguments = ["a=1", "f=@\(path)", "t=<\(path)", "b=x;encoder=base64", #"q"q=2"#]
    let form = try FormBody(arguments.map { try FormArgument($0) })
    let boundary = try #require(form.contentType.split(separator: "=").last.map(String.init))
    #expect(boundary.hasPrefix("------------------------") && boundary.count == 40)
    let text = String(decoding: try await form.body.collect(upTo: 10_000), as: UTF8.self)
    let expected = [
      "Content-Disposition: form-data; name=\"a\"\r\n\r\n1",
      "Content-Disposition: form-data; name=\"f\"; filename=\"p.html\"\r\nContent-Type: text/html\r\n\r\n<p>",
      "Content-Disposition: form-data; name=\"t\"\r\nContent-Type: text/html\r\n\r\n<p>",
      "Content-Disposition: form-data; name=\"b\"\r\nContent-Transfer-Encoding: base64\r\n\r\neA==",
      "Content-Disposition: form-data; name=\"q%22q\"\r\n\r\n2",
    ]
    #expect(text == expected.map { "--\(boundary)\r\n\($0)\r\n" }.joined() + "--\(boundary)--\r\n")
    #expect(form.body.length == Int64(text.utf8.count))
  }

  @Test func `a file that is not there is a read error, and an encoder that is not there says so`() {
    #expect { try FormBody([try FormArgument("a=@/nonexistent/x")]) } throws: { ($0 as? CommandFailure)?.status == 26 }
    #expect { try FormBody([try FormArgument("a=b;encoder=quoted-printable")]) } throws: {
      ($0 as? UsageFailure)?.message.contains("not supported; use") == true
    }
    #expect { try FormBody([try FormArgument("=)")]) } throws: { ($0 as? UsageFailure)?.status == 2 }
  }
}
