@testable import FaradayCurl
import Testing

@Suite struct StatusLineTests {
  private func status(_ line: String) -> Int? {
    Array((line + "\r\n").utf8).withUnsafeBytes { StatusLine($0)?.status }
  }

  @Test func `a valid status line is parsed`() {
    #expect(status("HTTP/1.1 200 OK") == 200)
    #expect(status("HTTP/1.0 100") == 100)
    #expect(status("HTTP/2 999 ") == 999)
  }

  @Test(arguments: [
    "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 2000", "HTTP/1.1 200X", "HTTP/1.1 200\tOK", "HTTP/1.1  200 OK",
    "HTTP/1.1\t200 OK",
    "HTTP/1.1 099 OK", "HTTP/1.1 000 OK", "HTTP/1.1 -20 OK", "http/1.1 200 OK", "HTTP/1.2 200 OK", "HTTP/11 200 OK",
    " HTTP/1.1 200 OK",
  ])
  func `nearly valid status lines are rejected`(line: String) {
    #expect(status(line) == nil)
  }
}
