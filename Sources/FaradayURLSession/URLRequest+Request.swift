internal import FaradayCore
internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

extension URLRequest {
  /// The request as URLSession wants it, but for its body.
  init(_ checked: CheckedRequest) {
    let request = checked.request
    self.init(url: request.url)
    httpMethod = request.method.rawValue
    // Ours are the watchdog's.
    timeoutInterval = 1_000_000
    httpShouldHandleCookies = false
    cachePolicy = .reloadIgnoringLocalCacheData
    for field in checked.fields {
      let name = field.name.rawName
      guard let earlier = value(forHTTPHeaderField: name) else {
        setValue(field.value, forHTTPHeaderField: name)
        continue
      }
      // One value is all that URLSession has room for (RFC 9110, section 5.3; cookies: RFC 6265, section 5.4).
      setValue(earlier + (field.name == .cookie ? "; " : ", ") + field.value, forHTTPHeaderField: name)
    }
    #if canImport(FoundationNetworking)
    // A blank value keeps a field out that Foundation or libcurl would add.
    let additions = ["Accept", "Accept-Encoding", "Accept-Language", "Connection", "Content-Type", "Expect", "User-Agent"]
    for name in additions where value(forHTTPHeaderField: name) == nil { setValue(" ", forHTTPHeaderField: name) }
    #else
    if value(forHTTPHeaderField: "Accept-Encoding") == nil { setValue("identity", forHTTPHeaderField: "Accept-Encoding") }
    #endif
    if request.body.isEmpty, !request.method.expectsBody {
      // Foundation says of every method but GET that its body is empty; only these have to (RFC 9110, section 8.6).
      setValue(" ", forHTTPHeaderField: "Content-Length")
    }
  }
}
