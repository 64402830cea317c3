import Faraday
import Foundation
import Testing

@testable import FaradayCLI

@Suite struct RequestComposerTests {
  /// The request of a command line.
  private func request(_ arguments: String...) throws -> Request {
    var jobs = Jobs(try Fetch.reading(arguments, readsDefault: false).operations, prepare: Session.init)
    let next = try jobs.next()
    let job = try #require(next)
    let transfer = Transfer(job: job, global: GlobalSettings(), messages: Messages(GlobalSettings()), trace: nil)
    let target = try transfer.target()
    let request = try RequestComposer(session: job.session, target: target, upload: job.upload).request()
    return try Route(job.session, to: target).transformed(request, capabilities: .all)
  }

  @Test(arguments: [["-d", "a", "-I", "h"], ["-d", "a", "-T", "f", "h"], ["-F", "a=b", "-d", "c", "h"]])
  func `options for two kinds of request are curl's warning`(_ arguments: [String]) async throws {
    let outcome = try await Program.run(arguments)
    #expect(outcome.status == 2)
    #expect(outcome.error.hasPrefix("faraday: You can only select one HTTP request method! You asked for both "))
  }

  @Test func `an invalid method is a usage error`() {
    #expect { try request("-X", "GET / HTTP/1.1", "h") } throws: { CommandFailure($0).status == 2 }
  }

  @Test func `unreadable data or uploads are a read error`() {
    #expect { try request("-d", "@/nonexistent/x", "h") } throws: { CommandFailure($0).status == 26 }
    #expect { try request("-T", "/nonexistent/x", "h") } throws: { CommandFailure($0).status == 26 }
  }

  @Test func `a bare URL is a GET with the defaults`() throws {
    let request = try request("h:81/x?y")
    #expect(request.method == .get)
    #expect(request.url.absoluteString == "http://h:81/x?y")
    #expect(request.headers.map(\.description) == ["User-Agent: \(Connection.standardUserAgent)", "Accept: */*"])
    #expect(request.body.isEmpty)
    #expect(request.options.timeouts == Timeouts(connect: .seconds(300), idle: nil, total: nil))
    #expect(request.options.tls == TLS())
    #expect(request.options.decompression == nil)
    #expect(request.options.httpVersion == .automatic)
  }

  @Test func `data is posted as a form in the order of the arguments`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("x\r\ny\n", to: "file")
    let request = try request("--data-raw", "@a", "-d", "@" + path, "--data-binary", "@" + path, "-d", "-sSf", "h")
    #expect(request.method == .post)
    #expect(request.body.data == Data("@a&xy&x\r\ny\n&-sSf".utf8))
    #expect(request.headers[.contentType] == "application/x-www-form-urlencoded")
  }

  @Test func `an explicit header or method overrides the one of --data`() throws {
    let request = try request("-XPATCH", "-d", "{}", "-H", "Content-Type: application/json", "h")
    #expect(request.method == .patch)
    #expect(request.headers[values: .contentType] == ["application/json"])
    #expect(try self.request("-d", "a", "-H", "Content-Type:", "h").headers[.contentType] == nil)
  }

  @Test func `an upload is a PUT, and a URL with a trailing slash gets the file's name`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("12345", to: "a b.txt")
    let request = try request("-T", path, "http://h/d/?q")
    #expect(request.method == .put)
    #expect(request.url.absoluteString == "http://h/d/a%20b.txt?q")
    #expect(request.body.length == 5)
    #expect(request.body.isStreamed)
    #expect(try self.request("-T", path, "h").url.absoluteString == "http://h/a%20b.txt")
    #expect(try self.request("-T", path, "h/x").url.absoluteString == "http://h/x")
  }

  @Test func `standard input is uploaded without length and name`() throws {
    let request = try request("-T-", "http://h/d/")
    #expect(request.url.absoluteString == "http://h/d/")
    #expect(request.body.length == nil)
    #expect(request.body.isStreamed)
    #expect(!request.body.isReplayable)
  }

  @Test func `user and password are sent as Basic from option or URL, and removed from the URL`() throws {
    #expect(try request("-u", "joe:a:b", "h").headers[.authorization] == "Basic am9lOmE6Yg==")
    let request = try request("http://joe:p%40ss@h/x")
    #expect(request.headers[.authorization] == "Basic am9lOnBAc3M=")
    #expect(request.url.absoluteString == "http://h/x")
    #expect(try self.request("-u", "a:b", "-H", "Authorization: none", "h").headers[values: .authorization] == ["none"])
  }

  @Test func `an empty user agent is omitted`() throws {
    #expect(try request("-A", "", "h").headers[.userAgent] == nil)
    #expect(try request("-Ame", "h").headers[.userAgent] == "me")
    #expect(try request("-H", "User-Agent:", "h").headers[.userAgent] == nil)
  }

  @Test func `times are decimal seconds, and 0 means no limit`() throws {
    let timeouts = try request("-m", "1.5", "--connect-timeout", "0.25", "h").options.timeouts
    #expect(timeouts == Timeouts(connect: .milliseconds(250), idle: nil, total: .milliseconds(1500)))
    #expect(try request("-m0", "h").options.timeouts.total == nil)
  }

  @Test func `the last value of an option counts, and flags can be repeated`() throws {
    let request = try request("-XA", "-XB", "--http2", "--http1.1", "-ss", "-k", "--cacert", "f", "--compressed", "h")
    #expect(request.method.rawValue == "B")
    #expect(request.options.httpVersion == .http1)
    #expect(request.options.tls == TLS(caFile: "f", verifiesServer: false))
    #expect(request.options.decompression == Decompression(maximumSize: .max, maximumRatio: .max))
  }
}
