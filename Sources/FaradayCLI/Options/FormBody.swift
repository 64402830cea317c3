import Faraday

/// The body of all `-F` and `--form-string`, with the bytes that curl would send but for the boundary's random part.
struct FormBody {
  let body: Body
  let boundary: String
  /// The `Content-Type` with the boundary.
  var contentType: String { "multipart/form-data; boundary=\(boundary)" }

  /// Opens the files: those on disk are streamed when they are sent; standard input and encoded files are read now.
  ///
  /// - Parameter isFormData: whether the type is `multipart/form-data`. The parts of another type are attachments.
  init(_ arguments: [FormArgument], isFormData: Bool = true) throws {
    // The stack of multiparts that are open, the form itself first.
    var open = [Multipart()]
    var isAttachment: Bool { open.count > 1 || !isFormData }
    for argument in arguments {
      switch argument.kind {
      case .part(let part): try open[open.count - 1].add(part, name: argument.name, isAttachment: isAttachment)
      case .files(let files):
        var nested = Multipart()
        for file in files { try nested.add(file, name: "", isAttachment: true) }
        open[open.count - 1].add(nested, name: argument.name, type: nil, headers: [], isAttachment: isAttachment)
      case .beginsMultipart(let type, let headers):
        open.append(Multipart(name: argument.name, type: type, headers: headers))
      case .endsMultipart:
        guard open.count > 1, let ended = open.popLast() else {
          throw UsageFailure("option -F: there is no multipart that '=)' could end")
        }
        open[open.count - 1].add(ended, name: ended.name, type: ended.type, headers: ended.headers, isAttachment: isAttachment)
      }
    }
    // Those that nobody has ended end here.
    while open.count > 1, let ended = open.popLast() {
      open[open.count - 1].add(ended, name: ended.name, type: ended.type, headers: ended.headers, isAttachment: isAttachment)
    }
    body = open[0].form.body
    boundary = open[0].form.boundary
  }
}

/// A multipart while its parts are added.
private struct Multipart {
  var form = MultipartForm()
  var name = ""
  var type: String?
  var headers: [String] = []

  init(name: String = "", type: String? = nil, headers: [String] = []) {
    (self.name, self.type, self.headers) = (name, type, headers)
    let letters = Array("0123456789abcdef")
    form.boundary = String(repeating: "-", count: 24) + String((0..<16).compactMap { _ in letters.randomElement() })
  }

  mutating func add(_ part: FormArgument.Part, name: String, isAttachment: Bool) throws {
    form.add(head: part.head(name: name, isAttachment: isAttachment), body: try part.body())
  }

  mutating func add(_ nested: Multipart, name: String, type: String?, headers: [String], isAttachment: Bool) {
    var lines = FormArgument.Part.disposition(name: name, filename: nil, isAttachment: isAttachment, unless: headers)
    lines.append("Content-Type: \(type ?? "multipart/mixed"); boundary=\(nested.form.boundary)")
    form.add(head: lines + headers, body: nested.form.body)
  }
}

extension FormArgument.Part {
  /// The filename that is sent; nil for a field that is no file.
  private var sentFilename: String? {
    if let filename { return filename }
    guard case .file(let path, true) = content else { return nil }
    return path.split(separator: "/").last.map(String.init) ?? path
  }

  /// The lines of the head, in curl's order.
  fileprivate func head(name: String, isAttachment: Bool) -> [String] {
    let filename = sentFilename
    let type = contentType(filename)
    var lines = Self.disposition(name: name, filename: filename, isAttachment: isAttachment, unless: headers)
    if let type { lines.append("Content-Type: \(type)") }
    if let encoder, !Self.has("content-transfer-encoding", in: headers) { lines.append("Content-Transfer-Encoding: \(encoder)") }
    return lines + headers.filter { !$0.lowercased().hasPrefix("content-type:") }
  }

  fileprivate static func disposition(
    name: String, filename: String?, isAttachment: Bool, unless headers: [String]
  ) -> [String] {
    guard !has("content-disposition", in: headers), !isAttachment || !name.isEmpty || filename != nil else { return [] }
    let disposition = isAttachment ? "attachment" : "form-data"
    let named = name.isEmpty ? "" : "; name=\"\(MultipartForm.escape(name))\""
    let filed = filename.map { "; filename=\"\(MultipartForm.escape($0))\"" } ?? ""
    return ["Content-Disposition: \(disposition)\(named)\(filed)"]
  }

  private static func has(_ name: String, in headers: [String]) -> Bool {
    headers.contains { $0.lowercased().hasPrefix(name + ":") }
  }

  /// The given type, or the one that curl derives from the filename; text without a filename has none.
  private func contentType(_ filename: String?) -> String? {
    if let type { return type }
    if let own = headers.first(where: { $0.lowercased().hasPrefix("content-type:") }) {
      return own.dropFirst("content-type:".count).trimming()
    }
    var derived = filename.flatMap(Self.known)
    if case .file(let path, _) = content, path != "-" {
      derived = derived ?? Self.known(path) ?? (filename != nil ? Self.binary : nil)
    }
    return derived == "text/plain" && filename == nil ? nil : derived
  }

  private static let binary = "application/octet-stream"

  /// curl knows these and no others.
  private static func known(_ name: String) -> String? {
    let types = [
      ".gif": "image/gif", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".svg": "image/svg+xml",
      ".txt": "text/plain", ".htm": "text/html", ".html": "text/html", ".pdf": "application/pdf", ".xml": "application/xml",
    ]
    let name = name.lowercased()
    return types.first { name.hasSuffix($0.key) }?.value
  }

  fileprivate func body() throws -> Body {
    var body: Body
    switch content {
    case .text(let text): body = .text(text)
    case .file("-", _): body = .data(try InputFile(name: "-").contents())
    case .file(let path, _):
      do {
        body = try InputFile(name: path).isRegular ? .file(path) : .data(InputFile(name: path).contents())
      } catch {
        throw CommandFailure(ExitStatus.readError, "Failed to open/read local data from file/application")
      }
    }
    guard let encoder else { return body }
    if let file = body.file { body = .data(try InputFile(name: file.path).contents()) }
    return .data(try Self.encoded(body.data ?? Data(), encoder))
  }

  private static func encoded(_ data: Data, _ encoder: String) throws -> Data {
    switch encoder.lowercased() {
    case "binary", "8bit": return data
    case "7bit":
      guard data.allSatisfy({ $0 < 0x80 }) else {
        throw CommandFailure(ExitStatus.readError, "Failed to open/read local data from file/application")
      }
      return data
    case "base64":
      return data.base64EncodedData(options: [.lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed])
    default: throw UsageFailure("option -F: encoder=\(encoder): not supported; use binary, 8bit, 7bit or base64")
    }
  }
}
