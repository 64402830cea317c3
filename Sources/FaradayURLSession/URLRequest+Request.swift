@_spi(Adapters) internal import FaradayCore
internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

extension URLRequest {
  /// Creates the request for URLSession, without its body.
  init(_ checked: CheckedRequest) {
    let request = checked.request
    // The host in ASCII: URLSession would convert it by different rules.
    self.init(url: checked.target.hasOtherHost ? URL(string: checked.target.text) ?? request.url : request.url)
    httpMethod = request.method.rawValue
    // Practically unlimited: the watchdog measures the timeouts.
    timeoutInterval = 1_000_000
    httpShouldHandleCookies = false
    cachePolicy = .reloadIgnoringLocalCacheData
    for field in checked.fields {
      let name = field.name.rawName
      guard let earlier = value(forHTTPHeaderField: name) else {
        setValue(field.value, forHTTPHeaderField: name)
        continue
      }
      // URLSession has one value per name: repeated fields are joined (RFC 9110, section 5.3; cookies: RFC 6265, section 5.4).
      setValue(earlier + (field.name == .cookie ? "; " : ", ") + field.value, forHTTPHeaderField: name)
    }
    #if canImport(FoundationNetworking)
    // A blank value prevents a field that Foundation or libcurl would add.
    let additions = ["Accept", "Accept-Encoding", "Accept-Language", "Connection", "Content-Type", "Expect", "User-Agent"]
    for name in additions where value(forHTTPHeaderField: name) == nil { setValue(" ", forHTTPHeaderField: name) }
    #else
    if value(forHTTPHeaderField: "Accept-Encoding") == nil { setValue("identity", forHTTPHeaderField: "Accept-Encoding") }
    #endif
    if request.body.isEmpty, !request.method.expectsBody {
      // Foundation sends `Content-Length: 0` with every method except GET. Only methods with a body should have it (RFC 9110,
      // section 8.6).
      setValue(" ", forHTTPHeaderField: "Content-Length")
    }
  }
}
