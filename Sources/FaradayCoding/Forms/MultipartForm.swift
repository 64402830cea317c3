public import FaradayCore

/// A `multipart/form-data` body (RFC 7578) with ordered parts, which may be files.
///
///     var form = MultipartForm()
///     form.append(name: "title", value: "Holiday")
///     try form.append(name: "photo", file: "/tmp/photo.jpg")
///     try await connection.post("photos", body: .multipart(form))
///
/// The body is streamed: files of any size need constant memory. The body's length is known if the length of every part is
/// known. The body can be sent again if every part can be sent again.
public struct MultipartForm: Sendable {
  /// The boundary between the parts. It is random, so that no part contains it.
  public package(set) var boundary: String
  /// The parts, in order.
  public private(set) var parts: [Part] = []

  /// A field or file of the form.
  public struct Part: Sendable {
    /// The name of the field.
    public var name: String
    /// The filename; nil for a field that is not a file.
    public var filename: String?
    /// The `Content-Type` of the part; nil for none.
    public var type: MediaType?
    /// The content.
    public var body: Body
    /// The lines of the part's head, sent unchanged; nil, the default, derives them from name, filename and type.
    package var head: [String]?
  }

  /// An empty form with a random boundary.
  public init() {
    boundary = "faraday-" + (0..<4).map { _ in String(UInt32.random(in: .min ... .max), radix: 16) }.joined()
  }

  /// Adds a text field.
  public mutating func append(name: String, value: String) {
    parts.append(Part(name: name, body: .text(value)))
  }

  /// Adds a field with these bytes. With a filename the server treats it as a file. Its type is `application/octet-stream` by
  /// default.
  public mutating func append(name: String, data: Data, filename: String? = nil, type: MediaType? = .binary) {
    parts.append(Part(name: name, filename: filename, type: type, body: .data(data)))
  }

  /// Adds a field with a body of any kind, except an unencoded value.
  public mutating func append(name: String, body: Body, filename: String? = nil, type: MediaType? = nil) {
    parts.append(Part(name: name, filename: filename, type: type, body: body))
  }

  /// Adds a part with these lines as its head.
  package mutating func append(head: [String], body: Body) {
    parts.append(Part(name: "", body: body, head: head))
  }

  /// Adds a file, which is streamed when it is sent. Filename and type are derived from the path unless given. Throws
  /// ``FaradayCore/BodyError``.
  public mutating func append(
    name: String, file: some FileReference, filename: String? = nil, type: MediaType? = nil
  ) throws {
    let path = file.filePath
    let filename = filename ?? path.split(separator: "/").last.map { String($0) } ?? path
    parts.append(
      Part(name: name, filename: filename, type: type ?? MediaType(extensionOf: filename), body: try .file(path)))
  }

  /// The `Content-Type` for the body, with the boundary.
  public var contentType: MediaType { MediaType("multipart", "form-data", parameters: ["boundary": boundary]) }

  /// The encoded form.
  public var body: Body {
    var pieces: [Body] = []
    var text = Data()
    for part in parts {
      text += Data(head(of: part).utf8)
      if let data = part.body.data, data.count <= Self.smallPart {
        text += data
      } else {
        pieces += [.data(text), part.body]
        text = Data()
      }
      text += Data("\r\n".utf8)
    }
    pieces.append(.data(text + Data("--\(boundary)--\r\n".utf8)))
    if pieces.count == 1 { return pieces[0] }
    let lengths = pieces.compactMap(\.length)
    return .reading(
      length: lengths.count == pieces.count ? lengths.reduce(0, +) : nil, isReplayable: pieces.allSatisfy(\.isReplayable)
    ) { [pieces] in
      var rest = pieces[...]
      var current: Body.AsyncIterator?
      return {
        while true {
          if let piece = try await current?.next(isolation: #isolation) { return piece }
          current = rest.popFirst()?.makeAsyncIterator()
          guard current != nil else { return nil }
        }
      }
    }
  }

  /// Parts up to this many bytes are merged into one chunk.
  private static let smallPart = 64 << 10

  private func head(of part: Part) -> String {
    if let head = part.head { return "--\(boundary)\r\n" + head.map { $0 + "\r\n" }.joined() + "\r\n" }
    let filename = part.filename.map { "; filename=\"\(Self.escape($0))\"" } ?? ""
    let type = part.type.map { "Content-Type: \($0)\r\n" } ?? ""
    return "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.escape(part.name))\"\(filename)\r\n\(type)\r\n"
  }

  /// Percent-encodes quotes and line breaks in names, as browsers do (WHATWG HTML, "multipart/form-data encoding algorithm").
  package static func escape(_ text: String) -> String {
    String(
      text.unicodeScalars.reduce(into: String.UnicodeScalarView()) { escaped, scalar in
        switch scalar {
        case "\"": escaped += "%22".unicodeScalars
        case "\r": escaped += "%0D".unicodeScalars
        case "\n": escaped += "%0A".unicodeScalars
        default: escaped.append(scalar)
        }
      })
  }
}

extension Body {
  /// A form with files; the `Multipart` middleware encodes it.
  public static func multipart(_ form: MultipartForm) -> Body { .unencoded(form) }
}
