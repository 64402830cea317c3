public import FaradayCore

extension Response {
  /// The body, which is JSON, as a value of this type.
  ///
  ///     let user = try await response.decode(User.self)
  ///
  /// An optional is nil exactly when the body has no bytes. A ``JSONValue`` is read by its own parser, any other type by the
  /// decoder. Throws ``UndecodableBody`` if the body is none, ``FaradayCore/BodyTooLarge`` if it is over `limit` bytes, and what
  /// reading a streamed body throws.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder(), upTo limit: Int = 64 << 20
  ) async throws -> Value {
    let data = try await body.collect(upTo: limit)
    do {
      if let optional = type as? any DecodableOptional.Type, let value = try optional.decode(data, decoder) as? Value {
        return value
      }
      guard !data.isEmpty else { throw EmptyBody() }
      return try decoder.value(type, from: data)
    } catch {
      throw UndecodableBody(error, wanting: type, of: self, whose: data)
    }
  }
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
  fileprivate func value<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    if type == JSONValue.self, let json = try JSONValue(data: data) as? Value { return json }
    return try decode(type, from: data)
  }
}

/// A body without a byte, where a value was wanted.
public struct EmptyBody: FaradayError, Equatable {
  public init() {}

  public var description: String { "the body is empty" }
}

/// A response whose body is not what was wanted.
public struct UndecodableBody: FaradayError, ErrorWithResponse, CustomReflectable {
  /// The type that was wanted.
  public let type: String
  /// The field: `items.0.name`; empty for the whole.
  public let path: String
  /// The response as it came.
  public let response: Response
  /// The request's method, where the call that decoded knew of the request.
  public package(set) var method: HTTPRequest.Method?
  /// What the decoder threw. Its text may show values.
  public let underlying: any Error
  package let reason: String

  public init(_ underlying: any Error, wanting type: any Any.Type, of response: Response) {
    self.init(underlying, wanting: type, of: response, whose: response.body.data)
  }

  /// - Parameter data: the body's bytes, where the response does not have them any more.
  package init(_ underlying: any Error, wanting type: any Any.Type, of response: Response, whose data: Data?) {
    self.type = "\(type)"
    self.underlying = underlying
    self.response = response
    if let coding = response.remainingCoding(of: data) {
      path = ""
      reason = "nobody has decoded it: its Content-Encoding is \(coding)"
    } else {
      let failure = DecodingFailure(underlying)
      path = failure.path
      reason = failure.reason
    }
  }

  /// The method, where the call that decoded knew of the request, and the URL without its query; nil where it did not.
  public var request: RequestSummary? { method.map { RequestSummary(method: $0, url: url) } }

  // The query may have secrets that only the request knew of.
  private var url: String { String(response.secrets.redacting(response.url).prefix { $0 != "?" }).bounded() }

  public var description: String {
    let place = path.isEmpty ? "" : " at \(path.bounded())"
    return "\(method.map { "\($0) " } ?? "")\(url): the body of the \(response.status.code) is no \(type)\(place): \(reason)"
  }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Response {
  /// The coding that the body still has. A response that was decoded keeps its field, so the field alone says nothing; but what is
  /// compressed is no text.
  fileprivate func remainingCoding(of data: Data?) -> String? {
    guard let coding = headers[.contentEncoding], coding.lowercased() != "identity", let data else { return nil }
    let isText = data.withUnsafeBytes { $0.bindMemory(to: UInt8.self).firstInvalidUTF8 == nil }
    return isText ? nil : String(coding.prefix(40)).debugDescription
  }
}
