import Faraday
import FaradayTesting
import Foundation
import Testing

@testable import FaradayCLI

@Suite struct WriteOutTests {
  private func report(failing failure: CommandFailure? = nil) throws -> Report {
    let request = try Request(.post, "http://h/x")
    var report = Report(request)
    report.failure = failure
    guard failure == nil else { return report }
    let metrics = TransferMetrics(
      resolve: .microseconds(1500), connect: .milliseconds(2), firstByte: .milliseconds(1250), total: .seconds(2), bytesSent: 10,
      bytesReceived: 4001, remoteAddress: "[::1]:8080")
    report.response = Response(
      status: .created, headers: [.contentType: "text/plain"], url: request.url, version: .http1_1, metrics: metrics)
    report.hops = [HopRecorder.Hop(request: request, response: report.response)]
    return report
  }

  /// The text written to standard output.
  private func text(of format: String, about report: Report) -> String {
    WriteOut(format).pieces(about: report).filter { $0.stream == .output }.map(\.text).joined()
  }

  @Test func `an unknown variable is reported and empty`() throws {
    let pieces = WriteOut("a%{nonsense}b").pieces(about: try report())
    #expect(
      pieces == [
        .init(stream: .output, text: "a"),
        .init(stream: .error, text: "faraday: unknown --write-out variable: 'nonsense'\n"), .init(stream: .output, text: "b"),
      ])
  }

  @Test(arguments: [
    ("%", "%"), ("\\", "\\"), ("%{", "%{"), ("%{http_code", "%{http_code"), ("%q", "%q"), ("\\x\\\\n", "\\x\\\\n"),
    ("%%{method}", "%{method}"), ("a\\tb\\r\\n", "a\tb\r\n"), ("", ""),
  ])
  func `invalid variables and escapes are kept as in curl`(_ format: String, _ text: String) throws {
    #expect(self.text(of: format, about: try report()) == text)
  }

  @Test func `a failed transfer has the code 000 and its error`() throws {
    let format = "%{http_code} %{exitcode} %{errormsg} %{http_version} %{remote_port} %{num_connects} %{url_effective}"
    let text = self.text(of: format, about: try report(failing: CommandFailure(7, "refused")))
    #expect(text == "000 7 refused 0 0 0 http://h/x")
  }

  @Test(arguments: [
    ("%{http_code} %{response_code} %{HTTP_CODE}", "201 201 201"), ("%{size_download} %{size_upload}", "4001 10"),
    ("%{speed_download} %{speed_upload}", "2001 5"), ("%{time_namelookup} %{time_connect}", "0.001500 0.002000"),
    ("%{time_appconnect} %{time_starttransfer} %{time_total}", "0.000000 1.250000 2.000000"),
    ("%{remote_ip} %{remote_port}", "::1 8080"), ("%{http_version} %{method}", "1.1 POST"),
    ("%{url_effective} %{content_type}", "http://h/x text/plain"), ("%{num_connects}|%{exitcode}|%{errormsg}", "1|0|"),
  ])
  func `variables are formatted as in curl`(_ format: String, _ text: String) throws {
    #expect(self.text(of: format, about: try report()) == text)
  }

  @Test func `times add up over redirects as in curl, and counts are the last exchange's`() async throws {
    let mock = MockAdapter()
    let hop = TransferMetrics(
      queue: .zero, resolve: .milliseconds(5), connect: .milliseconds(10), firstByte: .milliseconds(100),
      total: .milliseconds(250),
      bytesSent: 7, bytesReceived: 70, remoteAddress: "10.0.0.1:80")
    mock.stub(times: 1) { request in
      Response(status: .found, headers: [.location: "/b"], url: request.url, metrics: hop)
    }
    mock.stub(times: 1) { request in
      var again = hop
      (again.resolve, again.connect, again.isConnectionReused) = (nil, nil, true)
      return Response(status: .found, headers: [.location: "/c"], url: request.url, metrics: again)
    }
    mock.stub { request in
      let last = TransferMetrics(
        connect: .milliseconds(20), tls: .milliseconds(30), firstByte: .milliseconds(50), total: .milliseconds(1500),
        bytesReceived: 4000, remoteAddress: "10.0.0.2:443")
      return Response(status: .ok, url: request.url, metrics: last)
    }
    var report = Report(try Request(.get, "http://h/a"))
    let recorder = HopRecorder()
    report.response = try await Stack([.redirects(), recorder], adapter: mock).send(Request(.get, "http://h/a"))
    report.hops = recorder.hops
    report.elapsed = .seconds(9)
    let format =
      "%{time_namelookup} %{time_connect} %{time_appconnect} %{time_starttransfer} %{time_redirect} %{time_total}"
      + "|%{size_download} %{size_upload} %{speed_download} %{num_connects} %{remote_ip}"
    let text = self.text(of: format, about: report)
    #expect(text == "0.005000 0.030000 0.030000 0.250000 0.500000 2.000000|4000 0 2000 2 10.0.0.2")
  }

  @Test func `a truncated transfer has the time until its end`() throws {
    var report = try report()
    report.response = Response(status: .ok, url: try Request(.get, "http://h/").url)
    report.elapsed = .seconds(9)
    #expect(self.text(of: "%{time_total} %{time_redirect}", about: report) == "9.000000 0.000000")
  }

  @Test func `the phase table leaves out phases that did not happen`() throws {
    let text = TimingTable(try report().metrics).text
    #expect(text.contains("name lookup"))
    #expect(!text.contains("TLS"))
    #expect(text.contains("1250.000 ms  1248.000 ms"))
  }

  @Test func `unfinished variables are text, and their number does not matter`() throws {
    let many = String(repeating: "%{", count: 20_000)
    #expect(text(of: many, about: try report()) == many)
    #expect(text(of: "%{http_code}" + many + "\\n%%", about: try report()) == "201" + many + "\n%")
  }
}
