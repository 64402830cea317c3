import FaradayTesting
import Foundation
import TestServers
import TestSupport
import Testing

/// The requests, output and exit status of a program for a command line, without names and random parts.
struct Comparison: Equatable {
  var status: Int32
  var output: String
  /// The lines of standard error that report an error or trace a message: progress and warnings are each program's own.
  var errors: [String]
  /// The files that are there afterwards, by name.
  var files: [String: String]
  var requests: [String]

  /// Runs a shell command in which `curl` is the given program and `$URL` a server's. It knows the peers too.
  init(_ line: ComparedLine, program: String, peers: Peers = Peers()) async throws {
    let server = try RecordingServer()
    let folder = try TemporaryFolder()
    try Self.prepare(folder)
    // Written only where it is sent, because all comparisons would write gigabytes.
    if line.command.contains("big") { _ = try folder.write(Data(repeating: 120, count: 2 << 20), to: "big") }
    let own = try TemporaryFolder()
    let script = """
      cd "$2"; curl() { "$PROGRAM" "$@"; }; export HOME="$2" PROGRAM="$3" URL="http://127.0.0.1:$4" PORT="$4" LC_ALL=C.UTF-8
      unset http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY
      unset CURL_CA_BUNDLE SSL_CERT_FILE SSL_CERT_DIR
      \(peers.exports)
      { \(line.command)
      } </dev/null >"$1/output" 2>"$1/error"
      """
    status = await (try ChildProcess("/bin/sh", ["-c", script, "sh", own.path, folder.path, program, "\(server.port)"])).ended()
    let port = server.port
    func normalized(_ data: Data) -> String { peers.normalized(Self.normalized(data, port)) }
    output = normalized(own.read("output") ?? Data())
    errors = normalized(own.read("error") ?? Data()).split(whereSeparator: \.isNewline).map(String.init).filter {
      ["curl: (", "< ", "> "].contains(where: $0.hasPrefix)
    }
    files = [:]
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    for name in names { files[name] = normalized(folder.read(name) ?? Data("a folder".utf8)) }
    requests = (server.requests + peers.log()).map { normalized(Data($0.utf8)) }
    if line.isUnordered || ComparedLine.racing[line.command] != nil { requests = requests.map { String($0.drop { $0 != "]" }) } }
    if line.isUnordered { requests.sort() }
    server.stop()
  }

  private static func prepare(_ folder: TemporaryFolder) throws {
    _ = try folder.write("one\ntwo\r\n", to: "text")
    _ = try folder.write("a b&c=d\n", to: "words")
    _ = try folder.write(Data([0, 1, 2, 255]), to: "binary")
    _ = try folder.write("old\n", to: "old")
    _ = try folder.write("<p>", to: "page.html")
    _ = try folder.write("abcdefghij", to: "part")
    _ = try folder.write(Answers.alphabet, to: "whole")
    _ = try folder.write("X-From: file\nX-Two: 2\n", to: "headers")
    _ = try folder.write("# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tkept\tyes\n", to: "jar")
    _ = try folder.write("machine 127.0.0.1 login joe password pw\n", to: ".netrc")
    _ = try folder.write("machine 127.0.0.1 login ann password other\n", to: "netrc")
    _ = try folder.write("# a comment\nheader = \"X-Config: yes\"\nuser-agent mine\n-d a=1\n", to: "config")
    _ = try folder.write("\"v1\"\n", to: "tag")
  }

  private static func normalized(_ data: Data, _ port: Int) -> String {
    let text = String(decoding: data, as: UTF8.self)
    guard text.utf8.count < 100_000 else { return "\(data.count) bytes" }
    // The port last: the other parts can contain its digits.
    return Replacement.all(replacements, in: text).replacing(numbers: [port: "PORT"])
  }

  private static let replacements = [
    Replacement("curl/[0-9.]+|faraday/[0-9.]+", "AGENT"), Replacement("-{24}[0-9a-zA-Z]{16}", "BOUNDARY"),
    Replacement("cnonce=\"[^\"]*\"", "cnonce"), Replacement("response=\"[^\"]*\"", "response"),
    Replacement("NTLM [0-9a-zA-Z+/=]{80,}", "NTLM response"), Replacement("\\b[0-9]+\\.[0-9]{6}\\b", "TIME"),
    Replacement(" after [0-9]+ (ms|milliseconds)", " after TIME"), Replacement("(?m)^faraday: ", "curl: "),
  ]

  /// The differences in a few lines; empty if there are none.
  func differences(from reference: Comparison) -> String {
    var text = ""
    func add(_ what: String, _ ours: some Equatable, _ theirs: some Equatable) {
      let (ours, theirs) = ("\(ours)".debugDescription, "\(theirs)".debugDescription)
      if ours != theirs { text += "\n\(what)\n  curl:    \(theirs)\n  faraday: \(ours)" }
    }
    add("exit status", status, reference.status)
    add("standard output", output, reference.output)
    add("standard error", errors.joined(separator: "\n"), reference.errors.joined(separator: "\n"))
    for name in Set(files.keys).union(reference.files.keys).sorted() {
      add("the file \(name)", files[name] ?? "(none)", reference.files[name] ?? "(none)")
    }
    for index in 0..<max(requests.count, reference.requests.count) {
      add(
        "request \(index)", index < requests.count ? requests[index] : "(none)",
        index < reference.requests.count ? reference.requests[index] : "(none)")
    }
    return text
  }
}

/// A command line as people type it, for both programs.
struct ComparedLine: Sendable, CustomTestStringConvertible {
  let command: String
  /// Whether requests are sent at the same time.
  var isUnordered = false
  /// The expected exit status of curl; nil means any.
  var status: Int32?
  /// A text that curl's output, errors, files or requests must contain, so that the line tests its topic.
  var shown: String?

  var testDescription: String { command }
}
