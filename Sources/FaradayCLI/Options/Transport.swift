import ArgumentParser
import Faraday
import FaradayCurl
import FaradayURLSession

/// The adapter that `--transport` names.
enum Transport: String, CaseIterable, Codable, ExpressibleByArgument, Sendable {
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
    adapter(limit: 1)
  }

  /// An adapter for so many transfers at a time.
  func adapter(limit: Int) -> any Adapter {
    switch self {
    case .curl:
      var configuration = CurlAdapter.Configuration(connectionsPerOrigin: max(64, limit))
      configuration.unsafeCustomize = CurlSetting.customize
      return CurlAdapter(configuration)
    case .urlsession: return URLSessionAdapter()
    }
  }
}
