public import FaradayCore

/// curl's file format, with one line for each alternative: `h2 example.com 443 h3 alt.example.com 8443 "20271231 23:59:59" 0
/// 0`. The fields are protocol, host and port of the origin; protocol, host and port of the alternative; expiry, `persist`, and
/// an unused priority. `http/1.1` is written as `h1`. Lines that begin with `#` are comments.
extension AlternativeServiceStore {
  /// Reads alternatives from a file into the store, and replaces the known alternatives of the same origins. Malformed and
  /// expired lines are skipped. Blocks while it reads. Throws ``FaradayCore/StoreError``.
  @discardableResult
  public func read(from path: String) throws -> StoreReadResult { read(try StoreError.reading(path)) }

  /// Reads alternatives from the contents of a file. See ``read(from:)``.
  @discardableResult
  public func read(_ data: Data) -> StoreReadResult {
    let now = now()
    var found: [Place: Known] = [:]
    var places: [Place] = []
    var result = StoreReadResult()
    for (number, text) in StoreError.lines(of: data) {
      guard let (place, source, alternative) = text.flatMap(Self.entry) else {
        result.rejected.append(number)
        continue
      }
      guard alternative.expires > now else {
        result.expiredCount += 1
        continue
      }
      guard (found[place]?.alternatives.count ?? 0) < Self.maximumPerOrigin else { continue }
      result.addedCount += 1
      if found[place] == nil { places.append(place) }
      found[place, default: Known(alternatives: [], source: source)].alternatives.append(alternative)
    }
    for place in places { if let known = found[place] { set(known.alternatives, of: place, source: known.source) } }
    return result
  }

  /// Writes all alternatives that have not expired to a file. The file is replaced atomically. Only its owner can read it (mode
  /// 0600), because it reveals which servers the user has visited. Blocks while it writes. Throws ``FaradayCore/StoreError``.
  public func write(to path: String) throws { try StoreError.writing(Data(fileText.utf8), to: path) }

  /// The text of the file that ``write(to:)`` writes.
  public var fileText: String {
    let lines = known.flatMap { place, known in
      known.alternatives.map { alternative in
        let source = "\(known.source) \(place.host.bracketedHost) \(place.port)"
        let name = alternative.protocolID == "http/1.1" ? "h1" : alternative.protocolID
        let target = "\(name) \(alternative.host.bracketedHost) \(alternative.port)"
        return "\(source) \(target) \"\(Timestamp.spaced(alternative.expires))\" \(alternative.persists ? 1 : 0) 0\n"
      }
    }
    return "# Alternative services, in the format of https://curl.se/docs/alt-svc.html\n# Written by Faraday.\n" + lines.joined()
  }

  private static func entry(_ line: String) -> (Place, source: String, Alternative)? {
    let words = line.split { $0 == " " || $0 == "\t" }
    // The date contains a space.
    guard words.count == 10, sources.contains(String(words[0])), let place = place(words[1], words[2]),
      let target = self.place(words[4], words[5]), words[6].hasPrefix("\""), words[7].hasSuffix("\""),
      let expires = Timestamp.parse(words[6].dropFirst() + " " + words[7].dropLast()), ["0", "1"].contains(words[8]),
      words[9].utf8.allSatisfy(\.isDigit)
    else { return nil }
    let name = words[3] == "h1" ? "http/1.1" : String(words[3])
    guard isProtocolID(name) else { return nil }
    let alternative = Alternative(
      protocolID: name, host: target.host, port: target.port, expires: expires, persists: words[8] == "1")
    return (place, String(words[0]), alternative)
  }

  private static let sources: Set = ["h1", "h2", "h3"]

  private static func place(_ host: Substring, _ port: Substring) -> Place? {
    guard let host = CookieHost.canonical(String(CookieHost.withoutBrackets(host))), let port = self.port(port) else {
      return nil
    }
    return Place(host: host.withoutTrailingDot, port: port)
  }
}
