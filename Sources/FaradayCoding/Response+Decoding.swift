public import FaradayCore

extension Response {
  /// Decodes the body, which is JSON, as a value of this type.
  ///
  ///     let user = try await response.decode(User.self)
  ///
  /// An optional is nil exactly when the body is empty. A ``FaradayCoding/JSONValue`` is parsed by its own parser, any other
  /// type by the decoder. Throws ``FaradayCoding/UndecodableBody`` if the body cannot be decoded, ``FaradayCore/BodyTooLarge``
  /// over `limit` bytes, 64 MiB by default, and what reading a streamed body throws.
  ///
  /// - Parameter rejectsDuplicateNames: whether two members of the same name are an error. Otherwise the first counts. False by
  ///   default, unless a `DecodeJSON` middleware that rejects them has handled the response. Costs parsing the body once more.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder(), upTo limit: Int = 64 << 20,
    rejectsDuplicateNames: Bool = false
  ) async throws -> Value {
    let data = try await body.collect(upTo: limit)
    do {
      if rejectsDuplicateNames || self.rejectsDuplicateNames, !data.isEmpty {
        _ = try JSONValue(data: data, rejectsDuplicateNames: true)
      }
      if let optional = type as? any DecodableOptional.Type, let value = try optional.decode(data, decoder) as? Value {
        return value
      }
      guard !data.isEmpty else { throw EmptyBody() }
      return try decoder.value(type, from: data)
    } catch {
      throw UndecodableBody(error, decoding: type, of: self, whose: data)
    }
  }
}

extension Response {
  /// Whether decoding the body rejects duplicate member names.
  package var rejectsDuplicateNames: Bool {
    get { self[RejectsDuplicateNames.self] ?? false }
    set { self[RejectsDuplicateNames.self] = newValue ? true : nil }
  }

  private enum RejectsDuplicateNames: ResponseKey { typealias Value = Bool }
}

private protocol DecodableOptional {
  static func decode(_ data: Data, _ decoder: JSONDecoder) throws -> Self
}

extension Optional: DecodableOptional where Wrapped: Decodable {
  fileprivate static func decode(_ data: Data, _ decoder: JSONDecoder) throws -> Self {
    data.isEmpty ? nil : try decoder.value(Wrapped.self, from: data)
  }
}

extension JSONDecoder {
  /// A value of the type; a ``FaradayCoding/JSONValue`` is parsed by its own parser.
  package func value<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    if type == JSONValue.self, let json = try JSONValue(data: data) as? Value { return json }
    return try decode(type, from: data)
  }
}

/// The body of a response is empty, where a value was expected.
public struct EmptyBody: FaradayError, Equatable {
  /// An empty body.
  public init() {}

  public var description: String { "the body is empty" }
}

/// A response whose body could not be decoded as the expected type: malformed, of another shape, or empty.
public struct UndecodableBody: FaradayError, ErrorWithResponse, CustomReflectable {
  /// The type that was to be decoded.
  public let type: String
  /// The coding path of the value that is wrong: `items.0.name`; empty for the whole body.
  public let path: String
  /// The response as it was received.
  public let response: Response
  /// The method of the request that the response answers; nil if the response has come over no connection.
  public let method: HTTPRequest.Method?
  /// The error of the decoder. Its description may show values of the body.
  public let underlying: any Error
  package let reason: String
  private let summary: String

  /// An error of decoding this response's body as a type.
  public init(_ underlying: any Error, decoding type: any Any.Type, of response: Response) {
    self.init(underlying, decoding: type, of: response, whose: response.body.data)
  }

  /// - Parameter data: the bytes of the body, if the response does not have them any more.
  package init(_ underlying: any Error, decoding type: any Any.Type, of response: Response, whose data: Data?) {
    self.type = "\(type)"
    self.underlying = underlying
    self.response = response
    method = response.requestMethod
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
  }

  /// Method and URL, without the query; nil if the response has come over no connection.
  public var request: RequestSummary? { method.map { RequestSummary(method: $0, url: url) } }

  // The query may have secrets that only the request knew of.
  private var url: String { String(response.secrets.redacting(response.url).prefix { $0 != "?" }).bounded() }

  public var description: String {
    let request = (method.map { "\($0) " } ?? "") + url
    return "\(request): cannot decode \(type) from the \(response.status.code) response (\(contentType)): \(summary)"
  }
  private var contentType: String {
    response.headers[.contentType].map { $0.bounded(to: 80).escapingControls() } ?? "no Content-Type"
  }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Response {
  /// The content coding that the body still has. A decompressed response keeps its `Content-Encoding`, so the header alone says
  /// nothing; but compressed bytes are not text.
  fileprivate func remainingCoding(of data: Data?) -> String? {
    guard let coding = headers[.contentEncoding], coding.lowercased() != "identity", let data else { return nil }
    let isText = data.withUnsafeBytes { $0.bindMemory(to: UInt8.self).firstInvalidUTF8 == nil }
    return isText ? nil : String(coding.prefix(40)).debugDescription
  }
}
