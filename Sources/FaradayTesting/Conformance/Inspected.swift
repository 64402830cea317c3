internal import FaradayCore
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What the server's `/bytes` sends.
func pattern(_ count: Int) -> Data {
  var whole = Data(capacity: count + period.count)
  while whole.count < count { whole.append(period) }
  return whole.prefix(count)
}

private let period = Data((0..<65_536).map(LocalServer.patternByte))

/// What the server's `/inspect` says of a request.
struct Inspected: Decodable {
  let method: String
  let target: String
  let headers: [[String]]
  let bodyLength: Int
  let bodyText: String?
  let framing: String

  init(_ response: Response) async throws {
    self = try JSONDecoder().decode(Inspected.self, from: try await response.body.collect())
  }

  func values(_ name: String) -> [String] {
    headers.filter { $0[0].lowercased() == name.lowercased() }.map { $0[1] }
  }
}
