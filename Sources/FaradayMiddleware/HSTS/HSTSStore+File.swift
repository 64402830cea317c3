public import FaradayCore

/// curl's file format: one line for each host, `example.com "20271231 23:59:59"`, or `"unlimited"`; a dot in front of the host means
/// its subdomains too; lines that begin with `#` are comments.
extension HSTSStore {
  /// Reads hosts from a file into the store. Of a host that it knows already, the later expiry and the wider range count. Blocks
  /// while it reads. Throws ``StoreFileError``.
  ///
  /// - Returns: the numbers of the lines that are malformed, from 1, which are skipped. Expired ones are skipped too.
  @discardableResult
  public func read(from path: String) throws -> [Int] { read(try StoreFileError.reading(path)) }

  /// Reads hosts from the contents of a file. See ``read(from:)``.
  @discardableResult
  public func read(_ data: Data) -> [Int] {
    let now = now()
    return StoreFileError.lines(of: data).compactMap { number, text in
      guard let entry = text.flatMap(Self.entry) else { return number }
      if !entry.isExpired(at: now) { merge(entry) }
      return nil
    }
  }

  /// Writes all hosts that have not expired to a file. The file is replaced atomically, and only its owner can read it (mode 0600), as
  /// it says where the user has been. Blocks while it writes. Throws ``StoreFileError``.
  public func write(to path: String) throws { try StoreFileError.writing(fileText, to: path) }

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
