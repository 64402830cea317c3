@_spi(Adapters) import FaradayCore
import FaradayTesting
import FoundationEssentials
import TestServers

/// A resolver of DNS over HTTPS (RFC 8484) on the loopback interface, which answers what the test wants. It stops with its last
/// reference. nginx does the TLS in front of it.
final class Resolver: Sendable {
  /// The names of the address queries, in order.
  let names = Log<String>()
  /// The value of `dnsOverHTTPS`.
  var url: String { "https://127.0.0.1:\(nginx.tlsPort)/upstream/dns-query" }
  /// The authority that vouches for it.
  var caFile: String { nginx.caFile }
  /// Where it has a server of HTTPS besides, on 127.0.0.1 and 127.0.0.2.
  var tlsPort: Int { nginx.tlsPort }
  private let nginx: NginxServer
  private let server: RawServer

  /// - Parameter answer: the IPv4 address of a name, given the number of earlier answers; nil means no address.
  init(_ answer: @escaping @Sendable (_ name: String, _ index: Int) -> [UInt8]?) throws {
    let names = names
    server = try RawServer { connection in
      while true {
        let head = try connection.readHead().lowercased()
        let length = head.firstMatch(of: #/content-length: ([0-9]+)/#).flatMap { Int($0.output.1) } ?? 0
        let question = try connection.read(exactly: length)
        let body = Self.message(question) { name in
          names.append(name)
          return answer(name, names.elements.count - 1)
        }
        let fields = "Content-Type: application/dns-message\r\nContent-Length: \(body.count)"
        try connection.send(Array("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n".utf8) + body)
      }
    }
    nginx = try NginxServer(upstream: server.port)
  }

  deinit {
    nginx.stop()
    server.stop()
  }

  /// The answer to a query (RFC 1035, section 4.1): one address of type A, or no address.
  private static func message(_ question: [UInt8], _ answer: (String) -> [UInt8]?) -> [UInt8] {
    var labels: [String] = []
    var rest = question.dropFirst(12)
    while let count = rest.popFirst(), count > 0 {
      labels.append(String(decoding: rest.prefix(Int(count)), as: UTF8.self))
      rest = rest.dropFirst(Int(count))
    }
    let isIPv4 = rest.prefix(2) == [0, 1]
    let address = isIPv4 ? answer(labels.joined(separator: ".")) : nil
    let header = question.prefix(2) + [0x81, 0x80, 0, 1, 0, address == nil ? 0 : 1, 0, 0, 0, 0]
    // The name of the question, type A, class IN, a minute to live, four bytes.
    let record = address.map { [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4] + $0 } ?? []
    return header + question.dropFirst(12) + record
  }
}
