import Faraday
import FaradayTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FaradayMiddleware

/// The format of `.netrc`, as curl reads it.
@Suite struct NetrcParsingTests {
  private func login(_ text: String, host: String = "example.com", login: String? = nil) throws -> String? {
    try Netrc(text: text).credentials(host: host, login: login).map { "\($0.user):\($0.password)" }
  }

  @Test(arguments: [
    ("machine example.com login a password \"secret", 1, "a quote is not closed on its line"),
    ("machine example.com\nlogin a password \"secret\\", 2, "a quote is not closed on its line"),
    ("machine example.com login a password \"sec\nret\"", 1, "a quote is not closed on its line"),
    ("machine", 1, "`machine` has no value"),
    ("machine a\n\nlogin a password # secret", 3, "`password` has no value"),
    ("machine a password " + String(repeating: "s", count: 4096), 1, "a word has more than 4095 bytes"),
    ("machine a password \"" + String(repeating: "s", count: 4096) + "\"", 1, "a word has more than 4095 bytes"),
  ])
  func `a syntax error names its line without the line's contents`(text: String, line: Int, reason: String) {
    let error = #expect(throws: NetrcError.self) { try Netrc(text: text) }
    #expect(error?.line == line && error?.reason == reason)
    #expect(error.map { !Shown.all($0).contains("sec") && !Shown.all($0).contains("sss") } == true)
  }

  @Test func `NUL, invalid UTF-8 and unterminated files are errors`() throws {
    #expect(throws: NetrcError.self) { try Netrc(text: "machine a login b\0c") }
    #expect(throws: NetrcError.self) { try Netrc(text: String(repeating: " ", count: (1 << 20) + 1)) }
    let file = try TemporaryFile(Data([0x6D, 0xFF]))
    let error = #expect(throws: NetrcError.self) { try Netrc(file: file.path) }
    #expect(error?.description == "netrc file \(file.path): it is not UTF-8")
    let endless = #expect(throws: NetrcError.self) { try Netrc(file: "/dev/zero") }
    #expect(endless?.description == "netrc file /dev/zero: it has more than 1048576 bytes")
  }

  @Test func `an explicit netrc file must exist, and the user's default one need not`() throws {
    let missing = #expect(throws: NetrcError.self) { try Netrc(file: "/nonexistent/netrc") }
    #expect(missing?.description == "netrc file /nonexistent/netrc: No such file or directory")
    #expect(throws: NetrcError.self) { try Netrc(file: "/tmp") }
    #expect(throws: NetrcError.self) { try Netrc(file: "/tmp\0") }
    #expect(try Netrc(environment: [:]).entries.isEmpty)
    #expect(try Netrc(environment: ["HOME": "/nonexistent"]).entries.isEmpty)
    #expect(try Netrc(environment: ["NETRC": "/nonexistent/netrc"]).entries.isEmpty)
    #expect(throws: NetrcError.self) { try Netrc(environment: ["NETRC": "/tmp"]) }
  }

  @Test func `the NETRC variable names the file, with the home directory as the fallback`() throws {
    let home = FileManager.default.temporaryDirectory.path() + "/faraday-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: home) }
    try Data("machine a password home".utf8).write(to: URL(filePath: home + "/.netrc"))
    try Data("machine a password named".utf8).write(to: URL(filePath: home + "/other"))
    #expect(try Netrc(environment: ["HOME": home]).credentials(host: "a")?.password == "home")
    #expect(try Netrc(environment: ["HOME": home, "NETRC": ""]).credentials(host: "a")?.password == "home")
    #expect(try Netrc(environment: ["HOME": home, "NETRC": home + "/other"]).credentials(host: "a")?.password == "named")
  }

  @Test(arguments: [
    ("machine example.com login ada password secret", "ada:secret"),
    ("MACHINE Example.COM\n\tLogin ada\r\n  Password secret\n", "ada:secret"),
    ("machine example.com password secret login ada account x", "ada:secret"),
    ("machine other.com login b password c\nmachine example.com login ada password secret", "ada:secret"),
    ("machine example.com login ada", "ada:"), ("machine example.com password secret", ":secret"), ("machine example.com", nil),
    ("machine example.com.evil login a password b", nil), ("machine ample.com login a password b", nil), ("", nil),
    ("default login anonymous password me", "anonymous:me"), ("login a password b", nil),
    ("machine example.com login ada password secret default login x password y", "ada:secret"),
    ("default login x password y machine example.com login ada password secret", "x:y"),
    ("machine example.com login none\nmachine example.com login ada password secret", "ada:secret"),
    ("# machine example.com login a password b\nmachine example.com login ada # password x\n password secret", "ada:secret"),
    ("machine example.com login ada password a#b", "ada:a#b"),
    (#"machine example.com login "a \"d\" a" password "\\ \t\n\r\x ""#, "a \"d\" a:\\ \t\n\rx "),
    ("macdef init\nmachine example.com login a password b\n\nmachine example.com login ada password secret", "ada:secret"),
    ("machine x login a password b\nmacdef m\r\nmachine example.com login c\r\n\r\nmachine example.com login ada", "ada:"),
    ("macdef init\nmachine example.com login a password b", nil),
    ("machine example.com port 21 login ada password secret", "ada:secret"),
    ("machine example.com login \"\" password secret", ":secret"),
  ])
  func `entries are matched as in curl`(text: String, expected: String?) throws {
    #expect(try login(text) == expected)
  }

  @Test func `a login selects among the entries of its host`() throws {
    let text = """
      machine example.com login ada password one
      machine example.com login bob password two
      machine other.com login carl password three
      machine any.com password four
      default login dora password five
      """
    #expect(try login(text, login: "ada") == "ada:one")
    #expect(try login(text, login: "bob") == "bob:two")
    #expect(try login(text, login: "BOB") == nil)
    #expect(try login(text, login: "carl") == nil)
    #expect(try login(text, host: "any.com", login: "eve") == "eve:four")
    #expect(try login(text, host: "elsewhere.com", login: "dora") == "dora:five")
    #expect(try Netrc(text: text).credentials(host: "elsewhere.com", allowsDefault: false) == nil)
  }

  @Test func `a value can begin with a number sign`() throws {
    let text = "machine a login alice password #hash # the first\nmachine b login #bob password bobsecret"
    #expect(try login(text, host: "a") == "alice:#hash")
    #expect(try login(text, host: "b") == "#bob:bobsecret")
  }

  @Test func `descriptions redact passwords`() throws {
    let netrc = try Netrc(text: "machine a login b password hunter2 account hunter2")
    let shown = Shown.all(netrc.entries) + Shown.all(try #require(netrc.credentials(host: "a")))
    #expect(!shown.contains("hunter2") && shown.contains("machine a"))
  }
}
