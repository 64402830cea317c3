import Faraday
import Foundation
import Testing

@testable import FaradayCLI

@Suite struct OutputSinkTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ text: String, to name: String, _ rules: OutputRules = OutputRules(), head: String = "") throws -> String? {
    var sink = OutputSink(path: rules.folder == nil ? folder.file(name) : name, rules: rules)
    try sink.takeName(fromHead: Data(head.utf8))
    try sink.write(body: Data(text.utf8))
    try sink.finish()
    return sink.path
  }

  @Test(arguments: [
    ("filename=a.txt", "a.txt"), ("attachment; filename=\"a b;c.txt\"; size=1", "a b;c.txt"), ("attachment; filename='q'", "q"),
    ("attachment; filename=../../etc/passwd", "passwd"), ("attachment; filename=\"C:\\\\a\\\\b.txt\"", "b.txt"),
    ("attachment; name=x; filename=y", "y"), ("attachment; filename*=UTF-8''z", nil), ("attachment", nil),
    ("attachment; filename=\"\"", nil), ("attachment; filename=\"..\"", nil), ("attachment; filename=a/", nil),
    ("attachment; filename=\"a\u{1B}[2J\"", nil), ("attachment; filename=\".hidden\"", ".hidden"), ("filename=\"open", "open"),
  ])
  func `a server's file name has no folder`(_ value: String, _ name: String?) {
    let head = Data("HTTP/1.1 200 OK\r\nX: filename=no\r\ncontent-DISPOSITION: \(value)\r\n\r\n".utf8)
    #expect(ContentDisposition.filename(inHead: head) == name)
  }

  @Test(arguments: ["\u{B}", "\u{C}", "\r", "\u{85}", "\u{2028}"])
  func `a file name within the value of another field does not count`(separator: String) {
    let head = "HTTP/1.1 200 OK\r\nX: user\(separator)Content-Disposition: attachment; filename=evil\r\n\r\n"
    #expect(ContentDisposition.filename(inHead: Data(head.utf8)) == nil)
  }

  @Test func `a pipe is neither truncated nor removed`() throws {
    let path = folder.file("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDWR | O_CLOEXEC)
    defer { close(reader) }
    var sink = OutputSink(path: path, rules: OutputRules(removesOnError: true))
    try sink.write(body: Data("a".utf8))
    #expect(try sink.restart() == 0)
    try sink.write(body: Data("b".utf8))
    #expect(sink.abandon() == nil)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
  }

  @Test func `a partial file is appended to, and only if the caller names it`() throws {
    _ = try write("old", to: "own")
    _ = try write("new", to: "own", OutputRules(resumesAt: 3))
    #expect(folder.read("own") == Data("oldnew".utf8))
    // Nothing to append to: the file is like any other.
    #expect(try write("a", to: "own", OutputRules(clobber: .never, resumesAt: 0)) == folder.file("own.1"))
    let head = "HTTP/1.1 200 OK\r\nContent-Disposition: attachment; filename=own\r\n\r\n"
    let rules = OutputRules(folder: folder.path, isNamedByServer: true, resumesAt: 3)
    #expect { try write("c", to: "x", rules, head: head) } throws: { ($0 as? CommandFailure)?.status == 23 }
    #expect(folder.read("own") == Data("oldnew".utf8))
  }

  @Test func `a server's file name is used only if allowed, and replaces nothing`() throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Disposition: attachment; filename=given\r\n\r\n"
    #expect(try write("a", to: "own", head: head) == folder.file("own"))
    let rules = OutputRules(folder: folder.path, isNamedByServer: true)
    #expect(try write("b", to: "own", rules, head: head) == folder.file("given"))
    #expect(folder.read("given") == Data("b".utf8))
    #expect { try write("c", to: "own", rules, head: head) } throws: { ($0 as? CommandFailure)?.status == 23 }
    #expect(folder.read("given") == Data("b".utf8))
  }

  @Test func `a symbolic link of that name is not followed`() throws {
    let target = try folder.write("safe", to: "target")
    try FileManager.default.createSymbolicLink(atPath: folder.file("given"), withDestinationPath: target)
    let rules = OutputRules(clobber: .never, folder: folder.path, isNamedByServer: true)
    let head = "HTTP/1.1 200 OK\r\nContent-Disposition: attachment; filename=given\r\n\r\n"
    #expect(try write("b", to: "own", rules, head: head) == folder.file("given.1"))
    #expect(folder.read("target") == Data("safe".utf8))
  }

  @Test func `a number is added instead of replacing a file`() throws {
    let rules = OutputRules(clobber: .never)
    for name in ["out", "out.1", "out.2"] { #expect(try write(name, to: "out", rules) == folder.file(name)) }
    #expect(folder.read("out") == Data("out".utf8))
  }

  @Test func `folders are created if requested`() throws {
    #expect { try write("x", to: "a/b/c") } throws: {
      ($0 as? CommandFailure)?.line.hasPrefix("faraday: (23) Failure writing output to destination\ncannot write to ") == true
    }
    #expect(try write("x", to: "a/b/c", OutputRules(createsFolders: true)) == folder.file("a/b/c"))
    let rules = OutputRules(folder: folder.file("d/e"), createsFolders: true)
    #expect(try write("x", to: "f", rules) == folder.file("d/e/f"))
  }

  @Test func `a resumed file is appended to, and a failed attempt's bytes are removed`() throws {
    _ = try folder.write("abc", to: "out")
    var sink = OutputSink(path: folder.file("out"), rules: OutputRules(resumesAt: 3))
    try sink.write(body: Data("xyz".utf8))
    #expect(try sink.restart() == 3)
    try sink.write(body: Data("de".utf8))
    try sink.finish()
    #expect(folder.read("out") == Data("abcde".utf8))
  }

  @Test func `the file of a failed transfer is removed only if requested and created by it`() throws {
    for removes in [false, true] {
      var sink = OutputSink(path: folder.file("out"), rules: OutputRules(removesOnError: removes))
      try sink.write(body: Data("x".utf8))
      #expect(sink.abandon() == (removes ? folder.file("out") : nil))
      #expect((folder.read("out") == nil) == removes)
    }
    _ = try folder.write("old", to: "old")
    var unopened = OutputSink(path: folder.file("old"), rules: OutputRules(removesOnError: true))
    #expect(unopened.abandon() == nil)
    #expect(folder.read("old") != nil)
  }

  @Test func `a body above the maximum size ends the transfer, with and without a length`() throws {
    var sink = OutputSink(path: folder.file("out"), rules: OutputRules(maximumSize: 4))
    try sink.write(body: Data("abcd".utf8))
    #expect { try sink.write(body: Data("e".utf8)) } throws: { ($0 as? CommandFailure)?.status == 63 }
  }

  @Test(arguments: [
    (206, "bytes 5-9/10", "vwxyz", Resumption.Verdict.append), (416, "", "no", .complete), (200, "", "12345", .complete),
    (200, "", "", .append), (404, "", "", .append),
  ])
  func `a resumption is checked as in libcurl`(
    _ status: Int, _ range: String, _ body: String, _ verdict: Resumption.Verdict
  ) throws {
    var response = Response(status: .init(code: status), body: .text(body), url: try Request(.get, "http://h/").url)
    if !range.isEmpty { response.headers[.contentRange] = range }
    #expect(try Resumption(offset: 5).verdict(on: response) == verdict)
  }

  @Test func `a server that ignores the range is an error, unless nothing is resumed`() throws {
    let url = try Request(.get, "http://h/").url
    let whole = Response(status: .ok, body: "0123456789", url: url)
    #expect { try Resumption(offset: 5).verdict(on: whole) } throws: { ($0 as? CommandFailure)?.status == 33 }
    #expect(try Resumption(offset: 0).verdict(on: whole) == .append)
    let missing = Response(status: .notFound, body: "not found", url: url)
    #expect { try Resumption(offset: 5).verdict(on: missing) } throws: { ($0 as? CommandFailure)?.status == 33 }
    let other = Response(status: .partialContent, headers: [.contentRange: "bytes 4-9/10"], body: "456789", url: url)
    #expect { try Resumption(offset: 5).verdict(on: other) } throws: { ($0 as? CommandFailure)?.status == 33 }
  }
}
