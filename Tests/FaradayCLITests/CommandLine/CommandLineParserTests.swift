import Faraday
import Testing

@testable import FaradayCLI

@Suite struct CommandLineParserTests {
  private func state(_ arguments: String...) throws -> CommandState { try Fetch.reading(arguments, readsDefault: false) }

  private func problem(_ arguments: String...) -> String? {
    do {
      _ = try Fetch.reading(arguments, readsDefault: false)
      return nil
    } catch {
      return (error as? UsageFailure)?.message
    }
  }

  @Test func `grouped short options are separated, and the last one can have its value in the group`() throws {
    let state = try state("-sSfXPOST", "-oout", "-d", "-sSf", "h")
    #expect(state.global.silent && state.global.showError && state.operation.fails)
    #expect(state.operation.method == "POST")
    #expect(state.operation.data == [DataArgument(.ascii, "-sSf")])
    #expect(state.operation.targets == [TargetArgument(url: "h", output: .file("out"))])
  }

  @Test func `the next argument is the value, whatever it is`() throws {
    #expect(try state("-H", "--", "h").operation.headers == ["--"])
    #expect(try state("-X", "", "h").operation.method == nil)
  }

  @Test func `nothing after two dashes is an option`() throws {
    #expect(try state("-s", "--", "-S", "--", "h").operation.targets.map(\.url) == ["-S", "--", "h"])
  }

  @Test func `flags can be turned off again`() throws {
    #expect(try state("-L", "--no-location", "h").operation.location == false)
    #expect(try state("--no-keepalive", "--no-alpn", "--no-clobber", "--no-buffer", "h").operation.network.tcpKeepAlive == nil)
    #expect(problem("--no-output", "h") == "option --no-output: used '--no-' for option that isn't a boolean")
    #expect(problem("--no-http2", "h") == "option --no-http2: the given option can't be reversed with a --no- prefix")
  }

  @Test func `names can be shortened while they are unambiguous`() throws {
    #expect(try state("--inc", "h").operation.include)
    #expect(try state("--head", "h").operation.head, "a whole name is never ambiguous")
    #expect(problem("--pro", "h") == "option --pro: is ambiguous")
    #expect(problem("--transp", "curl", "h") == "option --transp: is unknown", "an option of our own is not shortened")
  }

  @Test(arguments: [
    ("-", "option -: is unknown"), ("-sX", "option -sX: requires parameter"), ("--data", "option --data: requires parameter"),
    ("-m-1", "option -m: expected a positive numerical parameter"), ("-mx", "option -m: expected a proper numerical parameter"),
    ("-m1e3", "option -m: expected a proper numerical parameter"), ("-m99999999999", "option -m: too large number"),
    ("-Cx", "option -C: expected a proper numerical parameter"),
    ("-3", "option -3: not supported; SSL 3 is broken; use --tlsv1.2"),
  ])
  func `option errors have curl's words`(_ argument: String, _ message: String) {
    #expect(problem(argument) == message)
  }

  @Test func `outputs, uploads and URLs are matched in order`() throws {
    let targets = try state("-o", "1", "a", "b", "-O", "-T", "up", "--url", "c", "-o", "3").operation.targets
    #expect(
      targets == [
        TargetArgument(url: "a", output: .file("1"), upload: "up"), TargetArgument(url: "b", output: .remoteName),
        TargetArgument(url: "c", output: .file("3")),
      ])
  }

  @Test func `--next starts with defaults and needs a URL before it`() throws {
    let state = try state("-Xa", "--next", "-s", "u", "-:", "v")
    #expect(state.operations.map(\.method) == ["a", nil])
    #expect(state.operations.flatMap(\.targets).map(\.url) == ["u", "v"])
    #expect(state.global.silent)
  }

  @Test func `two kinds of request are an error`() {
    #expect(
      problem("-F", "a=b", "-I", "h")
        == "You can only select one HTTP request method! You asked for both HEAD (-I, --head) and multipart formpost (-F, --form)."
    )
  }

  @Test func `sizes have units`() throws {
    #expect(try state("--max-filesize", "3", "h").operation.maxFileSize == 3)
    #expect(try state("--limit-rate", "2k", "h").operation.rates.maximumReceive == 2048)
    #expect(try state("--limit-rate", "1M", "h").operation.rates.maximumSend == 1 << 20)
    for text in ["x", "", "1q", "-1"] { #expect(problem("--limit-rate", text) == "option --limit-rate: is badly used here") }
    #expect(problem("--max-filesize", "9223372036854775807P") == "option --max-filesize: too large number")
  }

  @Test func `protocols can be set, added and removed`() throws {
    #expect(try state("--proto", "=https", "h").operation.protocols.allowed == ["https"])
    #expect(try state("--proto", "-all,http", "h").operation.protocols.allowed == ["http"])
    let unknown = try state("--proto", "=foo", "h")
    #expect(unknown.operation.protocols.allowed.isEmpty)
    #expect(unknown.warnings == ["unrecognized protocol 'foo'"])
  }

  @Test func `a certificate has its password after a colon`() throws {
    #expect(try state("-E", "a\\:b:pass:word", "h").operation.tls.certificate == "a:b")
    #expect(try state("-E", "a\\:b:pass:word", "h").operation.tls.password == "pass:word")
    #expect(try state("-E", "a", "h").operation.tls.password == nil)
  }
}
