internal import FaradayCore

/// The HTTP Archive format 1.2, as far as cassettes write it. Reading accepts the exports of browsers: what they leave out is
/// optional here. Names that begin with an underscore are additions, which the format allows.
struct HAR: Codable, Sendable {
  var log = Log()

  struct Log: Codable, Sendable {
    var version: String? = "1.2"
    var creator: Creator? = Creator()
    var entries: [Entry] = []
  }

  struct Creator: Codable, Sendable {
    var name: String? = "faraday"
    var version: String? = packageVersion
  }

  /// One exchange.
  struct Entry: Codable, Sendable {
    /// The time of the request in ISO 8601.
    var startedDateTime: String?
    /// In milliseconds, as all times of the format.
    var time: Double?
    var request: Request
    var response: Response
    var cache: Cache? = Cache()
    var timings: Timings?
    /// The informational (1xx) responses.
    var _informational: [Informational]?
    /// The error that ended the exchange.
    var _failure: Failure?
  }

  struct Request: Codable, Sendable {
    var method: String
    var url: String
    var httpVersion: String?
    var cookies: [Pair]? = []
    var headers: [Pair]?
    var queryString: [Pair]? = []
    var postData: PostData?
    var headersSize: Int? = -1
    var bodySize: Int?
  }

  struct Response: Codable, Sendable {
    var status: Int
    var statusText: String?
    var httpVersion: String?
    var cookies: [Pair]? = []
    var headers: [Pair]?
    var content: Content?
    var redirectURL: String? = ""
    var headersSize: Int? = -1
    var bodySize: Int?
    var _trailers: [Pair]?
    /// The pieces in which the body arrived, if there was more than one.
    var _pieces: [Piece]?
  }

  struct Pair: Codable, Sendable, Hashable {
    var name: String
    var value: String?
  }

  /// A request's body.
  struct PostData: Codable, Sendable {
    var mimeType: String?
    var text: String?
    /// `base64`; nil for text.
    var _encoding: String?
    /// The name of the file with the bytes, in the folder beside the archive.
    var _file: String?
  }

  /// A response's body.
  struct Content: Codable, Sendable {
    var size: Int?
    var mimeType: String?
    var text: String?
    var encoding: String?
    var _file: String?
  }

  struct Cache: Codable, Sendable {}

  /// -1 for a phase that did not happen.
  struct Timings: Codable, Sendable {
    var blocked: Double? = -1
    var dns: Double? = -1
    var connect: Double? = -1
    var ssl: Double? = -1
    var send: Double? = 0
    var wait: Double? = 0
    var receive: Double? = 0
  }

  struct Informational: Codable, Sendable {
    var status: Int
    var headers: [Pair]
  }

  /// A part of a body, and the time in milliseconds that passed before it arrived.
  struct Piece: Codable, Sendable {
    var size: Int
    var wait: Double
  }

  /// A ``TransportError``.
  struct Failure: Codable, Sendable {
    var code: String
    var phase: String
    var message: String
  }
}

extension HAR {
  /// Reads an archive. Throws a text that says what is wrong.
  init(_ data: Data) throws(Problem) {
    do {
      self = try JSONDecoder().decode(HAR.self, from: data)
    } catch let error as DecodingError {
      throw Problem(text: Self.text(of: error))
    } catch {
      throw Problem(text: "it is not JSON")
    }
  }

  /// Why an archive cannot be read or written.
  struct Problem: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
  }

  private static func text(of error: DecodingError) -> String {
    func place(_ context: DecodingError.Context) -> String {
      let steps = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? "." + $0.stringValue }
      let path = String(steps.joined().drop { $0 == "." })
      return path.isEmpty ? "" : " at \(path)"
    }
    switch error {
    case .keyNotFound(let key, let context): return "there is no \(key.stringValue)\(place(context))"
    case .typeMismatch(_, let context), .valueNotFound(_, let context): return "a value of another type\(place(context))"
    case .dataCorrupted(let context): return "it is not valid JSON\(place(context))"
    @unknown default: return "it cannot be decoded"
    }
  }

  /// The archive as JSON, with one member on each line in a fixed order, so that a change is a short difference.
  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self) + Data("\n".utf8)
  }
}

extension [HAR.Pair] {
  /// The fields, redacted.
  init(_ fields: HTTPFields, _ redaction: Redaction) {
    self = fields.map { HAR.Pair(name: $0.name.rawName, value: redaction.value(of: $0)) }
  }

  /// Without the pseudo-header fields of HTTP/2 that browsers export, and other fields that are not valid.
  var fields: HTTPFields {
    var fields = HTTPFields()
    for pair in self { try? fields.append(name: pair.name, value: pair.value ?? "") }
    return fields
  }
}
