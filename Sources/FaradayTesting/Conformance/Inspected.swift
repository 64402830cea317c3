package import FaradayCore

/// The bytes that the server's `/bytes` sends.
package func pattern(_ count: Int) -> Data {
  var whole = Data(capacity: count + period.count)
  while whole.count < count { whole.append(period) }
  return whole.prefix(count)
}

private let period = Data((0..<65_536).map(LocalServer.patternByte))

/// The request as the server received it: the JSON of its route `/inspect`.
package struct Inspected: Decodable {
  package let method: String
  package let target: String
  package let headers: [[String]]
  package let bodyLength: Int
  package let bodyText: String?
  package let framing: String

  package init(_ response: Response) async throws {
    self = try JSONDecoder().decode(Inspected.self, from: try await response.body.collect())
  }

  package func values(_ name: String) -> [String] {
    headers.filter { $0[0].lowercased() == name.lowercased() }.map { $0[1] }
  }
}
