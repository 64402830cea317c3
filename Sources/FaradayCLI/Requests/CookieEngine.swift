import Faraday

/// The cookies of an operation: those of `-b`, and those that servers set, which `-c` writes. Thread-safe.
final class CookieEngine: Sendable {
  /// The cookies that are sent to every server, as they were given.
  private let given: [UInt8]?
  /// Nil if neither a file was read nor one is to be written: then servers set no cookies.
  private let jar: CookieJar?
  private let output: String?
  /// What is wrong with the files.
  let warnings: [String]

  /// Reads the files of `-b`. One that is not there is empty, as with curl.
  init(_ operation: Operation) {
    let pairs = operation.cookies.filter { $0.contains("=") }
    given = pairs.isEmpty ? nil : Array(pairs.map(ArgumentBytes.of).joined(separator: "; ".utf8))
    output = operation.cookieJar
    let files = operation.cookies.filter { !$0.contains("=") }
    guard !files.isEmpty || output != nil else {
      jar = nil
      warnings = []
      return
    }
    // As curl has it: loopback is as safe as https.
    let jar = CookieJar(trustsLoopback: true)
    var warnings: [String] = []
    for file in files where !file.isEmpty {
      guard let contents = try? InputFile(name: file).contents() else { continue }
      _ = try? jar.read(contents, as: .netscape)
      if contents.split(separator: 0x0A).contains(where: Self.isSetCookie) {
        warnings.append("The Set-Cookie lines of \(file) are not read: they do not say whose cookies they are. See --cookie-jar")
      }
    }
    self.warnings = warnings
    if operation.dropsSessionCookies { jar.endSession() }
    self.jar = jar
  }

  /// Whether it is a line of a response's head, as curl's files may have it too.
  private static func isSetCookie(_ line: Data) -> Bool {
    String(decoding: line.prefix(11), as: UTF8.self).lowercased() == "set-cookie:"
  }

  /// The value of `Cookie` for a URL, in bytes: a server may use any encoding. Nil for none.
  func header(for url: URL) -> [UInt8]? {
    let all = [jar?.headerBytes(for: url), given].compactMap(\.self)
    return all.isEmpty ? nil : Array(all.joined(separator: "; ".utf8))
  }

  /// Takes the cookies that a response sets. One that is not allowed is not taken.
  func receive(_ response: Response) {
    guard let jar else { return }
    for field in response.headers[fields: .setCookie] {
      try? jar.receive(field.withUnsafeBytesOfValue { Array($0) }, from: response.url)
    }
  }

  /// Writes the file of `-c`.
  func write() throws {
    guard let jar, let output else { return }
    guard output != "-" else { return try Descriptor.output.write(try jar.data(as: .netscape)) }
    try jar.write(to: output, as: .netscape)
  }
}
