import FaradayCurl
import Foundation
import TestSupport
import Testing

/// Compares the requests, output and exit status of `faraday` and the system's `curl` for the same arguments.
@Suite(
  .enabled(if: TestRun.isComplete, "Scripts/check runs it"),
  .enabled(if: ReferenceCurl.path != nil, "the reference is curl 7.88.1, beside a faraday with the same libcurl"))
struct CurlComparisonTests {
  @Test(arguments: ComparedLine.all)
  func `the command behaves like curl`(_ line: ComparedLine) async throws {
    let reference = try #require(ReferenceCurl.path)
    let theirs = try await Comparison(line, program: reference)
    let ours = try await Comparison(line, program: BuiltProduct.named("faraday").path)
    let differences = ours.differences(from: theirs)
    withKnownIssue("\(ComparedLine.known[line.command] ?? "")", isIntermittent: false) {
      if !differences.isEmpty { Issue.record("\(line.command)\(differences)") }
    } when: {
      ComparedLine.known[line.command] != nil
    }
  }

  @Test func `at least a hundred lines are compared, each once, including the known differences`() {
    let commands = ComparedLine.all.map(\.command)
    #expect(commands.count >= 100)
    #expect(Set(commands).count == commands.count)
    #expect(Set(ComparedLine.known.keys).isSubset(of: commands))
    #expect(Set(ComparedLine.racing.keys).isSubset(of: Set(commands).subtracting(ComparedLine.known.keys)))
  }
}

/// The curl that the command is compared with.
enum ReferenceCurl {
  /// Its path; nil if it is not there, or it or our libcurl is of another version: the texts of errors are libcurl's.
  static let path: String? = {
    guard CurlAdapter.libraryVersion.contains("libcurl/7.88.1 ") else { return nil }
    let path = "/usr/bin/curl"
    let program = FileManager.default.contents(atPath: path)
    return program?.firstRange(of: Data("7.88.1".utf8)) == nil ? nil : path
  }()
}
