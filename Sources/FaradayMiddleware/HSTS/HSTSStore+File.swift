public import FaradayCore

/// curl's file format, with one line for each host: `example.com "20271231 23:59:59"`, or `"unlimited"`. A dot in front of the
/// host includes its subdomains. Lines that begin with `#` are comments.
extension HSTSStore {
  /// Reads hosts from a file into the store. For a host that is already stored, the later expiry and the wider range apply.
  /// Malformed and expired lines are skipped. Blocks while it reads. Throws ``FaradayCore/StoreError``.
  @discardableResult
  public func read(from path: String) throws -> StoreReadResult { read(try StoreError.reading(path)) }

  /// Reads hosts from the contents of a file. See ``read(from:)``.
  @discardableResult
  public func read(_ data: Data) -> StoreReadResult {
    let now = now()
    var result = StoreReadResult()
    for (number, text) in StoreError.lines(of: data) {
      guard let entry = text.flatMap(Self.entry) else {
        result.rejected.append(number)
        continue
      }
      if entry.isExpired(at: now) {
        result.expiredCount += 1
      } else {
        merge(entry)
        result.addedCount += 1
      }
    }
    return result
  }

  /// Writes all hosts that have not expired to a file. The file is replaced atomically. Only its owner can read it (mode 0600),
  /// because it reveals which servers the user has visited. Blocks while it writes. Throws ``FaradayCore/StoreError``.
  public func write(to path: String) throws { try StoreError.writing(Data(fileText.utf8), to: path) }

  /// The text of the file that ``write(to:)`` writes.
  public var fileText: String {
    let lines = entries.map { entry in
      let time = entry.expires.map(Timestamp.spaced) ?? Self.unlimited
      return "\(entry.includesSubdomains ? "." : "")\(entry.host) \"\(time)\"\n"
    }
    return "# HSTS hosts, in the format of https://curl.se/docs/hsts.html\n# Written by Faraday.\n" + lines.joined()
  }

  private static let unlimited = "unlimited"

  private static func entry(_ line: String) -> Entry? {
    let words = line.split(maxSplits: 1) { $0 == " " || $0 == "\t" }
    guard words.count == 2 else { return nil }
    let time = words[1].trimming()
    guard time.count > 2, time.hasPrefix("\""), time.hasSuffix("\"") else { return nil }
    let date = time.dropFirst().dropLast()
    let expires = Timestamp.parse(date)
    guard date == unlimited || expires != nil else { return nil }
    let includesSubdomains = words[0].hasPrefix(".")
    guard let host = canonical(String(includesSubdomains ? words[0].dropFirst() : words[0])) else { return nil }
    return Entry(host: host, includesSubdomains: includesSubdomains, expires: expires)
  }
}
