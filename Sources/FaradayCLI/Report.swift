import Faraday
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is known about a transfer once it has ended, well or not.
struct Report {
  let method: String
  let requestURL: String
  /// The response, or as much of it as came.
  var response: Response?
  var failure: CommandFailure?
  /// From sending the request to the end, by our own clock: a transfer that failed has no metrics.
  var elapsed: Duration = .zero

  init(_ request: Request) {
    method = request.method.rawValue
    requestURL = request.url.absoluteString
  }

  var metrics: Metrics {
    var metrics = response?.metrics ?? Metrics()
    if metrics.total == nil { metrics.total = elapsed }
    return metrics
  }

  var exitStatus: Int32 { failure?.status ?? 0 }

  /// The server's address and port, apart and without brackets.
  var remote: (ip: String, port: String) {
    guard let address = metrics.remoteAddress, let colon = address.lastIndex(of: ":") else { return ("", "0") }
    let ip = address[..<colon].filter { $0 != "[" && $0 != "]" }
    return (ip, String(address[address.index(after: colon)...]))
  }
}
