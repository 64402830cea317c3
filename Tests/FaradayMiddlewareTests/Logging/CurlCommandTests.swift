import Faraday
import FaradayTesting
import FoundationEssentials
import Testing

/// The text of a curl command, and the words that a shell makes of it.
@Suite struct CurlCommandTests {
  private func request(
    _ method: HTTPRequest.Method = .get, _ url: String = "http://host/a", body: Body = .empty,
    edit: (inout Request) throws -> Void = { _ in }
  ) throws -> Request {
    var request = try Request(method, url, body: body)
    // The headers that curl would add, so that a command is short.
    request.headers = [.userAgent: "u", .accept: "a", .contentType: "c"]
    try edit(&request)
    return request
  }

  private func command(_ request: Request) -> String {
    request.curlCommand.replacing(" -H 'User-Agent: u' -H 'Accept: a' -H 'Content-Type: c'", with: "")
  }

  @Test func `a verbatim target is redacted`() throws {
    let verbatim = try request { $0.options.requestTarget = .verbatim("/x?token=hunter2&a=b") }
    #expect(!verbatim.curlCommand.contains("hunter2") && verbatim.curlCommand.contains("a=b"))
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .zero])
  func `a timeout of any length is written as a number`(timeout: Duration) throws {
    let limited = try request {
      $0.options.timeouts.total = timeout
      $0.options.timeouts.connect = timeout
    }
    #expect(limited.curlCommand.contains(" -m "))
  }

  // MARK: Not expressible

  @Test func `a trailing comment names what the command cannot express`() throws {
    let stream = try request(.put, body: .stream(Pieces("a"), length: 1))
    #expect(command(stream) == "curl -X PUT http://host/a # without its body, a stream")
    let value = try request(.post, body: .encodable(["a": 1]))
    #expect(command(value) == "curl -X POST http://host/a # without its body, a value of type Dictionary<String, Int>")
    let file = try TemporaryFile(Data("file".utf8))
    let range = try request(.put, body: .file(file.path, range: 1..<3))
    #expect(command(range) == "curl -X PUT http://host/a # without its body, a range of a file")
  }

  @Test(arguments: ["file:///etc/passwd", "-o/etc/passwd", "gopher://host/", "/path"])
  func `a URL that is not HTTP yields no command`(url: String) throws {
    #expect(try request(.get, url).curlCommand == "# only http and https URLs can be sent with curl")
  }

  @Test func `a comment names everything that the command leaves out`() throws {
    let request = try request(.put, body: .stream(Pieces("a"), length: 1)) {
      $0.options.tls.caCertificates = Data()
      $0.options.tls.clientCertificate = .pkcs12(.bytes(Data()), password: "hunter2")
      var proxy = Proxy(.https, host: "proxy")
      proxy.tls.caFile = "ca.pem"
      $0.options.proxy = .proxy(proxy)
    }
    let remark = request.curlCommand.split(separator: " # ").last
    for part in ["its body", "certificate authorities", "client certificate", "TLS options of its proxy"] {
      #expect(remark?.contains(part) == true, "\(part)")
    }
    let plain = try self.request { $0.options.proxy = .proxy(Proxy(.https, host: "proxy")) }
    #expect(!plain.curlCommand.contains("#"))
  }

  @Test func `IPv6 addresses have brackets, and times are rounded up`() throws {
    let request = try request {
      $0.options.network.connectTo = [ConnectTo(host: "::2", port: 80, toHost: "::1", toPort: 81)]
      $0.options.network.hostOverrides = [HostOverride("::3", port: 80, addresses: ["::1"])]
      $0.options.rates = TransferRates(minimum: 1, minimumFor: .milliseconds(1500))
    }
    #expect(request.curlCommand.contains("--connect-to '[::2]:80:[::1]:81'"), "\(request.curlCommand)")
    #expect(request.curlCommand.contains("--resolve '[::3]:80:[::1]'"), "\(request.curlCommand)")
    #expect(request.curlCommand.contains("--speed-time 2 "), "\(request.curlCommand)")
  }

  // MARK: Text

  @Test func `the method is written only if curl would choose another one`() throws {
    #expect(try command(request()) == "curl http://host/a")
    #expect(try command(request(.head)) == "curl -I http://host/a")
    #expect(try command(request(.delete)) == "curl -X DELETE http://host/a")
    #expect(try command(request(.post, body: "b")) == "curl --data-binary b http://host/a")
    #expect(try command(request(.get, body: "b")) == "curl -X GET --data-binary b http://host/a")
    #expect(try command(request(.post)) == "curl --data-binary '' http://host/a")
    #expect(try command(request(.patch)) == "curl -X PATCH --data-binary '' http://host/a")
  }

  @Test func `headers that curl adds by itself are removed`() throws {
    #expect(try request { $0.headers = [:] }.curlCommand == "curl -H User-Agent: -H Accept: http://host/a")
    let post = try request(.post, body: "b") { $0.headers = [.accept: "a", .contentLength: "1"] }
    #expect(post.curlCommand == "curl --data-binary b -H 'Accept: a' -H User-Agent: -H Content-Type: http://host/a")
  }

  @Test func `a file body is written as its file name`() throws {
    let file = try TemporaryFile(Data("file".utf8))
    let body = try Body.file(file.path)
    let expect = "-H Expect: "
    #expect(try command(request(.put, body: body)) == "curl -T \(file.path) \(expect)http://host/a")
    #expect(try command(request(.post, body: body)) == "curl -X POST -T \(file.path) \(expect)http://host/a")
    // To such a URL curl would add the name of the file.
    #expect(
      try command(request(.put, "http://host/?a", body: body)) == "curl -X PUT --data-binary @\(file.path) 'http://host/?a'")
  }

  @Test func `transport options become curl options without passwords`() throws {
    var request = try Request("http://host/a")
    request.options.proxy = .proxy(try Proxy("socks5h://ada:hunter2@proxy:1080"))
    request.options.authentication = TransportAuthentication(user: "ada", password: "hunter2", schemes: .digest)
    request.options.tls.clientCertificate = .pem(.file("c.pem"), key: .file("c.key"), password: "hunter2")
    request.options.tls.minimumVersion = .v1_3
    request.options.network.unixSocket = "/run/a socket"
    request.options.network.connectTo = [ConnectTo(host: "host", toHost: "::1", toPort: 81)]
    request.options.network.ipVersion = .v6
    request.options.rates.maximumReceive = 1000
    let shown = request.curlCommand
    #expect(!shown.contains("hunter2") && !shown.contains("ada"), "\(shown)")
    for words in [
      "-x socks5h://proxy:1080 ", "--digest ", "--cert c.pem --key c.key --pass ", "--tlsv1.3 ", "--unix-socket '/run/a socket' ",
      "--connect-to 'host::[::1]:81' ", "-6 ", "--limit-rate 1000 ",
    ] { #expect(shown.contains(words), "\(words) in \(shown)") }
    let whole = request.curlCommand(revealingSecrets: true)
    #expect(
      whole.contains("-U ada:hunter2 ") && whole.contains("-u ada:hunter2 ") && whole.contains("--pass hunter2 "), "\(whole)")
  }

  @Test(arguments: TransportOption.all.filter { $0.curl != nil })
  func `every option that curl has appears in the command`(option: TransportOption) throws {
    let plain = try Request("http://host/a")
    var request = plain
    try option.ask(of: &request)
    switch option.curl {
    case .flag(let name, _), .word(let name): #expect(request.curlCommand.contains(" \(name) "))
    case .value(let name, _): #expect(request.curlCommand.contains(" \(name) "))
    default: #expect(request.curlCommand != plain.curlCommand || Self.unwritten.contains(option.description))
    }
  }

  /// Options that the command leaves out, as curl's nearest option would do something else.
  private static let unwritten = ["expectContinue", "network.happyEyeballsDelay"]

  @Test func `options have curl's names`() throws {
    let request = try request {
      $0.options.timeouts = Timeouts(connect: .milliseconds(1500), total: .seconds(90))
      $0.options.decompression = .standard
      $0.options.httpVersion = .http2
      $0.options.tls = TLS(caFile: "my ca.pem", verifiesServer: false)
    }
    #expect(
      command(request)
        == "curl --compressed --http2 --connect-timeout 1.500 -m 90 --cacert 'my ca.pem' -k http://host/a")
    #expect(try command(self.request { $0.options.httpVersion = .http1 }) == "curl --http1.1 http://host/a")
    #expect(
      try command(self.request { $0.options.upgrade = Upgrade(to: "test") })
        == "curl --http1.1 -H 'Connection: Upgrade' -H 'Upgrade: test' http://host/a"
        + " # without what is sent after the switch of protocols")
    let asterisk = try self.request {
      $0.method = .options
      $0.options.requestTarget = .asterisk
    }
    #expect(command(asterisk) == "curl -X OPTIONS --request-target '*' http://host/a")
    #expect(try command(self.request { $0.options.timeouts.total = .nanoseconds(1) }) == "curl -m 0.001 http://host/a")
  }

  @Test func `brackets and dot segments are sent unchanged`() throws {
    #expect(try command(request(.get, "http://[::1]/a")) == "curl -g 'http://[::1]/a'")
    #expect(try command(request(.get, "http://host/a/../b")) == "curl --path-as-is http://host/a/../b")
  }

  // MARK: secrets

  @Test func `secrets are redacted unless they are requested`() throws {
    let request = try request(.post, "http://joe:hidden1@host/a?token=hidden2#hidden3", body: "password=hidden4") {
      $0.headers = [.userAgent: "u", .accept: "a", .contentType: "application/x-www-form-urlencoded", .authorization: "hidden5"]
    }
    let shown =
      "-H 'User-Agent: u' -H 'Accept: a' -H 'Content-Type: application/x-www-form-urlencoded' -H 'Authorization: [secret]'"
    #expect(request.curlCommand == "curl -g --data-binary 'password=[secret]' \(shown) 'http://host/a?token=[secret]'")
    let revealed = request.curlCommand(revealingSecrets: true)
    for number in 1...5 { #expect(revealed.contains("hidden\(number)")) }
  }

  @Test func `a multipart form that contains secrets is left out`() throws {
    let request = try request(.post, body: "--b…hidden") { $0.headers[.contentType] = "multipart/form-data; boundary=b" }
    #expect(request.curlCommand.hasSuffix(" # without its body, a form of 12 bytes that may have secrets in it"))
    #expect(request.curlCommand(revealingSecrets: true).contains("--data-binary '--b…hidden'"))
  }

  // MARK: quoting

  /// Each tries to get out of the quotes, to be expanded, or to be another argument.
  static let hostile = [
    "'", "''", "'; touch out; '", "'\u{301}; touch out; '\u{301}", "\"; touch out; \"", "$(touch out)", "`touch out`", "${HOME}",
    "$HOME", "a\\", "\\'; touch out #", "!!", "a\nb", "\ntouch out\n", "@/etc/passwd", "@-", "-o out", "--output", "", " ", "~",
    "*",
    "a;touch out", "a&touch out", "a|touch out", "a>out", "#", "%s%n", "\u{1F680} \u{E9} \u{FEFF}", "a\u{1B}[2J\u{7}", "\t",
    "\r\n",
    "\u{0}'; touch out; '", "a\n", "\n", "{a,b}", "[1-3]", "\u{2028}", "\u{202E}", "'\u{200D}'",
  ]

  @Test(arguments: hostile)
  func `a body is one argument or comes through a pipe`(text: String) async throws {
    let request = try request(.post, body: .text(text))
    let (words, input) = try await Shell.words(request.curlCommand)
    let place = try #require(words.firstIndex { $0.hasPrefix("--data-") })
    let word = words[place + 1]
    let isRead = words[place] == "--data-binary" && word.hasPrefix("@")
    #expect(isRead ? word == "@-" && input == Data(text.utf8) : Data(word.utf8) == Data(text.utf8))
    // A terminal gets no more of it than it can show.
    #expect(!request.curlCommand.utf8.contains { $0 < 0x20 && $0 != 0x0A })
  }

  @Test(arguments: hostile)
  func `a header is one argument`(text: String) async throws {
    let request = try request { $0.headers[.from] = text }
    let value = try #require(request.headers[.from]).replacing(/[\u{1B}\u{7}\t]/, with: " ").trimmed
    let (words, _) = try await Shell.words(request.curlCommand)
    #expect(words.contains(value.isEmpty ? "From;" : "From: \(value)"))
    #expect(words.count == (words.contains("-g") ? 10 : 9))
    #expect(!request.curlCommand.utf8.contains { $0 < 0x20 })
  }

  @Test(arguments: hostile)
  func `path, file and method are one argument each`(text: String) async throws {
    var request = try request(#require(HTTPRequest.Method("!#$%&'*+-.^_`|~")))
    request.query["q"] = text
    request.path = "/" + text
    request.options.tls.caFile = text.replacing("\u{0}", with: "")
    let words = try await Shell.words(request.curlCommand(revealingSecrets: true)).words
    #expect(words.last.map { Data($0.utf8) } == Data(request.url.absoluteString.utf8))
    #expect(words.contains("!#$%&'*+-.^_`|~"))
    #expect(words.contains { Data($0.utf8) == Data((request.options.tls.caFile ?? "").utf8) })
  }
}

extension String {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
