import FaradayTesting
import Foundation
import TestSupport
import Testing

/// The lines that need more than the recording server: `faraday` and the system's `curl` with the same real servers and proxies.
///
/// A line says what `curl` has to end with, and what its results have to say: two programs that fail alike because a file is not
/// there would be equal too.
@Suite(
  .enabled(if: TestRun.isComplete, "Scripts/check runs it"),
  .enabled(if: ReferenceCurl.path != nil, "the reference is curl 7.88.1, beside a faraday with the same libcurl"))
struct PeerComparisonTests {
  @Test(arguments: ComparedLine.tls)
  func `the command accepts the servers that curl accepts, and sends them the same`(_ line: ComparedLine) async throws {
    try await compare(line) { try .tls() }
  }

  @Test(arguments: ComparedLine.tlsProxies)
  func `the command accepts the proxies that curl accepts, and sends them the same`(_ line: ComparedLine) async throws {
    try await compare(line) { try .proxies() }
  }

  @Test(arguments: ComparedLine.proxies)
  func `the command uses proxies like curl`(_ line: ComparedLine) async throws {
    try await compare(line) { try .proxies() }
  }

  @Test(arguments: ComparedLine.socks)
  func `the command sends to SOCKS proxies what curl sends`(_ line: ComparedLine) async throws {
    try await compare(line) { try .socks() }
  }

  @Test(arguments: ComparedLine.stores)
  func `the command connects to the hosts that curl connects to, and stores the same`(_ line: ComparedLine) async throws {
    try await compare(line) { try .stores() }
  }

  @Test(arguments: ComparedLine.sockets)
  func `the command connects like curl`(_ line: ComparedLine) async throws {
    try await compare(line) { try .tls() }
  }

  @Test(arguments: ComparedLine.reports)
  func `the command waits and reports like curl`(_ line: ComparedLine) async throws {
    try await compare(line) { Peers() }
  }

  @Test func `each compared line is unique and has its exit status`() {
    let lines = [
      ComparedLine.tls, ComparedLine.tlsProxies, ComparedLine.proxies, ComparedLine.socks, ComparedLine.stores,
      ComparedLine.sockets, ComparedLine.reports,
    ].joined()
    #expect(Set(lines.map(\.command)).count == lines.count)
    #expect(lines.allSatisfy { $0.status != nil })
  }

  private func compare(_ line: ComparedLine, _ peers: () throws -> Peers) async throws {
    let reference = try #require(ReferenceCurl.path)
    let theirs = try await Comparison(line, program: reference, peers: peers())
    #expect(theirs.status == line.status, "curl itself: \(theirs)")
    if let shown = line.shown { #expect(theirs.shows(shown), "curl itself: \(theirs)") }
    let ours = try await Comparison(line, program: BuiltProduct.named("faraday").path, peers: peers())
    let differences = ours.differences(from: theirs)
    if !differences.isEmpty { Issue.record("\(line.command)\(differences)") }
  }
}

extension Comparison {
  fileprivate func shows(_ text: String) -> Bool {
    ([output] + errors + files.values + requests).contains { $0.contains(text) }
  }
}

extension ComparedLine {
  /// A line with curl's expected exit status and results.
  static func ends(_ status: Int32, _ command: String, shows text: String? = nil) -> ComparedLine {
    ComparedLine(command: command, status: status, shown: text)
  }
}
