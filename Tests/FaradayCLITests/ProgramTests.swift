import Faraday
import FaradayTesting
import Foundation
import TestServers
import TestSupport
import Testing

/// The executable when all goes well.
@Suite struct ProgramTests {
  let server: LocalServer
  let folder: TemporaryFolder

  init() throws {
    server = try LocalServer()
    folder = try TemporaryFolder()
  }

  @Test func `a GET writes only the body`() async throws {
    let outcome = try await Program.run(server.url + "/hello")
    #expect(outcome.status == 0)
    #expect(outcome.text == "Hello, world!")
    #expect(outcome.error.isEmpty)
  }

  @Test func `a URL without a scheme uses http`() async throws {
    #expect(try await Program.run("127.0.0.1:\(server.port)/hello").text == "Hello, world!")
  }

  @Test func `--include writes all heads before the body`() async throws {
    let text = try await Program.run("-i", server.url + "/early-hints").text
    #expect(text.hasPrefix("HTTP/1.1 103 Early Hints\r\nLink: "))
    #expect(text.contains("\r\n\r\nHTTP/1.1 200 OK\r\n"))
    #expect(text.hasSuffix("\r\n\r\nafter the hints\n"))
    #expect(try await Program.run("-i", server.url + "/trailers").text.hasSuffix("trailingX-Checksum: abc\r\n"))
  }

  @Test func `redirects are followed if requested, and each head is written`() async throws {
    #expect(try await Program.run(server.url + "/redirect/2", "-w", "%{http_code}").text == "2 to go\n302")
    let outcome = try await Program.run(
      "-iL", server.url + "/redirect/2", "-w", "%{num_redirects} %{http_code} %{url_effective}")
    #expect(outcome.text.components(separatedBy: "HTTP/1.1 302 Found\r\n").count == 3)
    #expect(outcome.text.hasSuffix("\r\n\r\narrived\n2 200 \(server.url)/redirect/0"))
    let many = try await Program.run("-L", "--max-redirs", "1", server.url + "/redirect/2")
    #expect(many.status == 47 && many.error == "faraday: (47) Maximum (1) redirects followed\n" && many.text.isEmpty)
  }

  @Test func `--head sends HEAD and writes the head`() async throws {
    let outcome = try await Program.run("-I", server.url + "/hello", "-w", "%{method}")
    #expect(outcome.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(outcome.text.hasSuffix("\r\n\r\nHEAD"))
    #expect(outcome.text.contains("Content-Length: 13\r\n"))
  }

  @Test func `standard input as a part of a form is sent to each URL`() async throws {
    let outcome = try await Program.run("-F", "a=<-", server.url + "/echo", server.url + "/echo", input: Data("text".utf8))
    #expect(outcome.text.components(separatedBy: "text").count == 3, "\(outcome.text)")
  }

  @Test func `bytes that are not UTF-8 are sent as data, and are an error elsewhere`() async throws {
    let program = try BuiltProduct.named("faraday").path
    func run(_ words: String) async throws -> (Int32, Data) {
      let words = words.hasPrefix("ws ") || words.hasPrefix("events ") ? words : "-q " + words
      let script = "printf -v byte '\\xe9'; exec \(program) \(words) </dev/null >\(folder.path)/output 2>\(folder.path)/error"
      let status = await (try ChildProcess("/bin/bash", ["-c", script])).ended()
      return (status, folder.read("output") ?? Data())
    }
    for option in ["-d", "--data-binary", "--data-raw"] {
      let (status, body) = try await run("\(option) \"caf$byte\" \(server.url)/echo")
      #expect(status == 0 && body == Data("caf".utf8) + [0xE9])
    }
    #expect(try await run("--data-urlencode \"a=$byte\" \(server.url)/echo").1 == Data("a=%E9".utf8))
    for query in ["a=$byte", "+a=%e9"] {
      let (status, seen) = try await run("--url-query \"\(query)\" \(server.url)/inspect")
      #expect(status == 0 && String(decoding: seen, as: UTF8.self).lowercased().contains("?a=%e9"))
    }
    // The texts of both arguments are the same.
    #expect(try await run("-d \"$byte\" -d $'\\xe8' \(server.url)/echo").0 == 2)
    #expect(try await run("-d\"x$byte\" -d $'\\xe8' \(server.url)/echo").0 == 2)
    #expect(try await run("-d \"$byte\" -d \"$byte\" \(server.url)/echo").1 == Data([0xE9, 0x26, 0xE9]))
    for words in [
      "-b \"$byte.txt\" \(server.url)/echo", "-d \"@$byte\" \(server.url)/echo",
      "--data-urlencode \"n@$byte\" \(server.url)/echo", "-d \"\u{FFFD}\" -d \"$byte\" \(server.url)/echo",
      "-d \"\u{FFFD}\" -u \"$byte\" \(server.url)/echo", "ws -H \"X: $byte\" \(server.url)/echo",
      "events \"\(server.url)/$byte\"",
    ] {
      #expect(try await run(words).0 == 2)
    }
    for words in ["-H \"X: $byte\" \(server.url)/echo", "-u \"a:$byte\" \(server.url)/echo", "\"\(server.url)/$byte\""] {
      #expect(try await run(words).0 == 2)
    }
  }

  @Test func `the file of a cookie jar can be a pipe, which is not replaced`() async throws {
    let path = folder.file("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
    defer { close(reader) }
    #expect(try await Program.run("-c", path, server.url + "/cookies/set?a=b").status == 0)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    var piece = [UInt8](repeating: 0, count: 1000)
    let count = read(reader, &piece, piece.count)
    #expect(count > 0 && String(decoding: piece[..<max(0, count)], as: UTF8.self).hasPrefix("# Netscape"))
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a file to another user"))
  func `the file of a cookie jar cannot be the pipe of another user`() async throws {
    let path = folder.file("pipe")
    #expect(mkfifo(path, 0o666) == 0 && chown(path, 65534, 65534) == 0)
    let reader = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
    defer { close(reader) }
    let outcome = try await Program.run("-c", path, server.url + "/cookies/set?a=b")
    #expect(outcome.error.contains("failed to save cookies"), "\(outcome.error)")
    var piece = [UInt8](repeating: 0, count: 10)
    #expect(read(reader, &piece, piece.count) <= 0)
  }

  @Test func `a status is retried into a device`() async throws {
    let busy = try MockServer(.status(.serviceUnavailable, headers: [.retryAfter: "0"], body: .text("busy")), .text("ok"))
    let outcome = try await Program.run("-sS", "--retry", "1", "-o", "/dev/null", "-w", "%{http_code}", busy.url)
    #expect(outcome.status == 0 && outcome.text == "200", "\(outcome.error)")
  }

  @Test func `the response before a failed redirect is reported`() async throws {
    let port = try RefusedPort()
    let headers: HTTPFields = [.location: "http://127.0.0.1:\(port.port)/", .contentType: "text/html"]
    let moved = try MockServer { _ in .status(.found, headers: headers) }
    let format = "%{http_code} %{http_version} %{content_type}"
    #expect(try await Program.run("-sL", "-w", format, moved.url).text == "302 1.1 text/html")
  }

  @Test func `a maximum size of zero is no limit`() async throws {
    #expect(try await Program.run("--max-filesize", "0", server.url + "/hello").text == "Hello, world!")
  }

  @Test func `--data posts a form`() async throws {
    let seen = try Inspection(try await Program.run("-d", "a=1", "-d", "b=2", server.url + "/inspect").output)
    #expect(seen.method == "POST")
    #expect(seen.bodyText == "a=1&b=2")
    #expect(seen["content-type"] == ["application/x-www-form-urlencoded"])
  }

  @Test func `--data-binary sends bytes unchanged from a file or standard input`() async throws {
    let bytes = Data((0...255).map { UInt8($0) }) + Data("\r\n".utf8)
    let path = try folder.write(bytes, to: "bytes")
    #expect(try await Program.run("--data-binary", "@" + path, server.url + "/echo").output == bytes)
    #expect(try await Program.run("--data-binary", "@-", server.url + "/echo", input: bytes).output == bytes)
    #expect(try await Program.run("-d@-", server.url + "/echo", input: Data("a\r\nb\n".utf8)).text == "ab")
  }

  @Test func `headers are added, emptied and removed`() async throws {
    let outcome = try await Program.run("-HX-A: 1", "-H", "X-B;", "-H", "Accept:", "-A", "me", server.url + "/inspect")
    let seen = try Inspection(outcome.output)
    #expect(seen["x-a"] == ["1"])
    #expect(seen["x-b"] == [""])
    #expect(seen["accept"] == [])
    #expect(seen["user-agent"] == ["me"])
  }

  @Test func `--user sends Basic credentials`() async throws {
    #expect(try await Program.run("-fu", "joe:a b", server.url + "/basic-auth/joe/a%20b").status == 0)
    #expect(try await Program.run("-f", "-u", "joe:no", server.url + "/basic-auth/joe/yes").status == 22)
  }

  @Test func `a compressed response is decoded`() async throws {
    #expect(try await Program.run("--compressed", server.url + "/gzip/text").text.hasPrefix("Hello, gzip!"))
    #expect(try await Program.run(server.url + "/gzip/text").output.starts(with: [0x1F, 0x8B]))
    // As dense as gzip can be, which the library's own limits refuse.
    #expect(try await Program.run("--compressed", server.url + "/gzip?size=3000000").output.count == 3_000_000)
  }

  @Test func `--write-out reports the transfer`() async throws {
    let format = try folder.write("%{http_code} %{size_download} %{remote_ip}:%{remote_port} %{http_version}\\n%{nope}", to: "f")
    let outcome = try await Program.run("-o", "/dev/null", "-w", "@" + format, server.url + "/bytes/5")
    #expect(outcome.text == "200 5 127.0.0.1:\(server.port) 1.1\n")
    #expect(outcome.error == "faraday: unknown --write-out variable: 'nope'\n")
  }

  @Test func `--timing shows the phases on standard error`() async throws {
    let outcome = try await Program.run("--timing", server.url + "/hello")
    #expect(outcome.text == "Hello, world!")
    for phase in ["connect", "first byte", "total"] { #expect(outcome.error.contains(phase)) }
  }

  @Test func `--version names the engine`() async throws {
    #expect(try await Program.run("-V").text.hasPrefix("faraday \(packageVersion) libcurl/"))
    #expect(try await Program.run("--version").text.hasPrefix("faraday \(packageVersion) libcurl/"))
  }

  @Test func `--help lists the options`() async throws {
    let outcome = try await Program.run("--help")
    #expect(outcome.status == 0)
    #expect(outcome.text.contains("--write-out"))
    #expect(outcome.text.contains("faraday serve"))
  }
}

/// A request according to `/inspect`.
struct Inspection: Decodable {
  let method: String
  let headers: [[String]]
  let bodyText: String?
  let framing: String
  let path: String

  init(_ bytes: Data) throws { self = try JSONDecoder().decode(Self.self, from: bytes) }

  subscript(name: String) -> [String] { headers.filter { $0.first?.lowercased() == name }.compactMap(\.last) }
}
