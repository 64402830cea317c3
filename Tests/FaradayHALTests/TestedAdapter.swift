import Faraday
import FaradayCurl
import FaradayURLSession

/// The adapters that a test which needs a server runs over.
enum TestedAdapter: String, CaseIterable, Sendable {
  case curl, urlSession

  private static let curlAdapter = CurlAdapter()
  private static let urlSessionAdapter = URLSessionAdapter()

  var adapter: any Adapter {
    switch self {
    case .curl: Self.curlAdapter
    case .urlSession: Self.urlSessionAdapter
    }
  }
}
