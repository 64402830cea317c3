@_spi(Adapters) internal import FaradayCore
internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

extension HTTPURLResponse {
  /// The header fields from URLSession: repeated fields are joined by commas, and the order is lost.
  var fields: HTTPFields {
    var fields = HTTPFields()
    for (name, value) in allHeaderFields {
      guard let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String else { continue }
      fields.append(HTTPField(name: name, value: value))
    }
    return fields
  }

  var parsed: HTTPResponse { HTTPResponse(status: .init(code: statusCode), headerFields: fields) }

  var contentLength: Int64? {
    value(forHTTPHeaderField: "Content-Length").flatMap { $0.split(separator: ",").first.flatMap { Int64($0.trimming()) } }
  }

  /// The length of the body, if the head states it (RFC 9112, section 6.3).
  func bodyLength(for request: Request) -> Int64? {
    if request.method == .head || statusCode == 204 || statusCode == 304 { return 0 }
    return value(forHTTPHeaderField: "Transfer-Encoding") == nil ? contentLength : nil
  }

  struct Problem: Error {
    let code: TransportError.Code
    let message: String
  }

  /// Throws a ``Problem`` if the response must not be returned: its head is too large, its length is ambiguous, or URLSession
  /// has decoded its body.
  func check(for request: Request) throws {
    guard allHeaderFields.count <= ResponseLimits.lines else {
      throw Problem(code: .headTooLarge, message: ResponseLimits.tooManyLines)
    }
    if let text = value(forHTTPHeaderField: "Content-Length") {
      // Different lengths in one message indicate response smuggling (RFC 9112, section 6.3).
      let lengths = Set(text.split(separator: ",").map { Int64($0.trimming()) ?? -1 })
      guard lengths.count == 1, lengths.allSatisfy({ $0 >= 0 }) else {
        throw Problem(
          code: .malformedResponse, message: "the response has different Content-Length values, or one that is not a number")
      }
    }
    // libcurl decodes no other transfer coding. In a folded field (obs-fold, RFC 9112, section 5.2) libcurl finds no coding,
    // and delivers the chunk framing as part of the body.
    if let coding = value(forHTTPHeaderField: "Transfer-Encoding"), request.method != .head,
      !["chunked", "identity"].contains(coding.lowercased())
    {
      throw Problem(code: .malformedResponse, message: "URLSession has not decoded the Transfer-Encoding \(coding)")
    }
    let encoding = (value(forHTTPHeaderField: "Content-Encoding") ?? "").trimming().lowercased()
    if !encoding.isEmpty, encoding != "identity", request.method != .head {
      let message = "URLSessionAdapter has no encodedBodies: URLSession has decoded a body with the Content-Encoding \(encoding)"
      throw Problem(code: .unsupported, message: message)
    }
  }
}
