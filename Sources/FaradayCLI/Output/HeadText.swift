import Faraday

/// Formats the header of a response: lines with CRLF, the bytes of values unchanged.
enum HeadText {
  static func data(_ status: HTTPResponse.Status, _ fields: HTTPFields, _ version: HTTPVersion) -> Data {
    Data("\(version) \(status.code) \(status.reasonPhrase)\r\n".utf8) + data(fields) + Data("\r\n".utf8)
  }

  static func data(_ fields: HTTPFields) -> Data {
    var lines = Data()
    for field in fields {
      lines.append(contentsOf: "\(field.name.rawName): ".utf8)
      field.withUnsafeBytesOfValue { lines.append(contentsOf: $0) }
      lines.append(contentsOf: "\r\n".utf8)
    }
    return lines
  }
}
