import FaradayTesting
import TestServers
import Testing

/// Runs the system's `curl` without configuration files and proxies of the environment.
struct SystemCurl {
  /// The exit status.
  let exit: Int32
  /// The status of the last response; 0 without a response.
  let status: Int
  /// The status of the proxy's last response to CONNECT; 0 without one.
  let connectStatus: Int
  /// 1.1 or 2.
  let version: String
  let body: String

  /// The fields of a response of ``NginxVariants``.
  var fields: [String: String] { NginxVariants.fields(of: body) }

  init(_ arguments: String...) async throws { try await self.init(arguments) }

  init(_ arguments: [String]) async throws {
    let fixed = ["-i", "PATH=/usr/bin:/bin", "curl", "-q", "-s", "-m", "20", "--noproxy", ""]
    let figures = "\n%{http_code} %{http_connect} %{http_version}"
    let child = try ChildProcess("env", fixed + ["-w", figures] + arguments)
    child.closeInput()
    var output: [UInt8] = []
    while true {
      let more = await child.next()
      guard !more.isEmpty else { break }
      output += more
    }
    exit = await child.ended()
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    let last = try #require(lines.last).split(separator: " ")
    try #require(last.count == 3, "\(lines)")
    status = try #require(Int(last[0]))
    connectStatus = try #require(Int(last[1]))
    version = String(last[2])
    body = lines.dropLast().joined(separator: "\n")
  }
}
