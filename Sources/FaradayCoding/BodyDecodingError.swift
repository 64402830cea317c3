public import FaradayCore

/// The error for a response body, an element of a stream, or the properties of a HAL representation that could not be decoded
/// as the expected type: it is malformed, has another structure, or is empty. Its `description` contains nothing of the body.
public struct BodyDecodingError: FaradayError, CustomReflectable {
  /// The expected type.
  public let type: String
  /// The coding path of the invalid value: `items.0.name`; empty for the whole body or element.
  public let path: String
  /// The received response; nil for an element of a stream, and for the properties of a HAL representation.
  public let response: Response?
  /// The method and redacted URL of the request. The URL of a response's request has no query. Nil if the response was not
  /// received over a connection, and for elements that were read from a response.
  public let request: RequestSummary?
  /// The number of the element in its stream, from 0, without empty lines; nil unless an element could not be decoded.
  public let index: Int?
  /// The bytes of the element; nil unless an element could not be decoded.
  public let data: Data?
  /// Whether the element is truncated: a text of a JSON text sequence without the line feed at its end (RFC 7464, section 2.4).
  public let isTruncated: Bool
  /// The error of the decoder. Its description may show values of the body.
  public let underlying: any Error
  package let reason: String
  public let description: String

  /// The request's method.
  public var method: HTTPRequest.Method? { request?.method }

  /// An error for decoding the response's body as a type.
  public init(_ underlying: any Error, decoding type: any Any.Type, of response: Response) {
    self.init(underlying, decoding: type, of: response, whose: response.body.data)
  }

  /// - Parameter data: the bytes of the body, if the response no longer contains them.
  package init(_ underlying: any Error, decoding type: any Any.Type, of response: Response, whose data: Data?) {
    self.type = "\(type)"
    self.underlying = underlying
    self.response = response
    (index, self.data, isTruncated) = (nil, nil, false)
    let url = response.shownURL
    request = response.requestMethod.map { RequestSummary(method: $0, url: url) }
    let summary: String
    if let coding = response.remainingCoding(of: data) {
      path = ""
      reason = "the body is still compressed: its Content-Encoding is \(coding), and the request did not ask for decompression"
      summary = reason
    } else {
      let failure = DecodingFailure(underlying)
      path = failure.path
      reason = failure.reason
      summary = failure.summary(of: "the body")
    }
    let contentType =
      response.headers[.contentType].map { $0.bounded(to: 80).escapingControls() } ?? "no Content-Type"
    description =
      "\(request?.description ?? url): cannot decode \(type) from the \(response.status.code) response (\(contentType)): \(summary)"
  }

  /// An error for decoding an element of a stream.
  package init(
    _ underlying: any Error, decoding type: any Any.Type, from data: Data, index: Int, isTruncated: Bool = false,
    request: RequestSummary?
  ) {
    let failure = DecodingFailure(underlying)
    let summary = isTruncated ? "it is truncated" : failure.summary(of: "the element")
    self.init(
      underlying, type, failure, "cannot decode \(type) from element \(index) of the stream: \(summary)", request: request,
      element: (index, data, isTruncated))
  }

  /// An error for decoding the properties of a HAL representation.
  package init(_ underlying: any Error, decodingPropertiesAs type: any Any.Type) {
    let failure = DecodingFailure(underlying)
    self.init(
      underlying, type, failure, "cannot decode \(type) from the representation's properties: \(failure.summary(of: "it"))")
  }

  private init(
    _ underlying: any Error, _ type: any Any.Type, _ failure: DecodingFailure, _ problem: String, request: RequestSummary? = nil,
    element: (index: Int, data: Data, isTruncated: Bool)? = nil
  ) {
    self.type = "\(type)"
    self.underlying = underlying
    self.request = request
    response = nil
    (index, data, isTruncated) = (element?.index, element?.data, element?.isTruncated ?? false)
    path = failure.path
    reason = failure.reason
    description = (request.map { "\($0): " } ?? "") + problem
  }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Response {
  /// The content coding of a body that is still compressed. A decompressed response keeps its `Content-Encoding`, so the header
  /// is not enough: this property also checks that the bytes are not text.
  fileprivate func remainingCoding(of data: Data?) -> String? {
    guard let coding = headers[.contentEncoding], coding.lowercased() != "identity", let data else { return nil }
    let isText = data.withUnsafeBytes { $0.bindMemory(to: UInt8.self).firstInvalidUTF8 == nil }
    return isText ? nil : String(coding.prefix(40)).debugDescription
  }
}
