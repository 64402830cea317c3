import ArgumentParser
import Faraday
import FaradayCurl
import FaradayURLSession

extension TransportOptions {
  /// The adapter that `--transport` names.
  enum Transport: String, CaseIterable, Codable, ExpressibleByArgument {
    case curl, urlsession

    /// The name of its type.
    var adapterName: String {
      switch self {
      case .curl: "CurlAdapter"
      case .urlsession: "URLSessionAdapter"
      }
    }

    var capabilities: Capabilities { adapter().capabilities }

    func adapter() -> any Adapter {
      switch self {
      case .curl: CurlAdapter()
      case .urlsession: URLSessionAdapter()
      }
    }
  }
}
