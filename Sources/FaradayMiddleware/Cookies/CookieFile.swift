public import FaradayCore
internal import FaradaySupport

/// The file formats of a ``CookieJar``.
public enum CookieFile: Sendable, Hashable {
  /// `cookies.txt`, the Netscape format of curl, wget and browsers: one line for each cookie. It has no `SameSite` and no dates
  /// of creation and use; a cookie with a tab in its name or path is left out.
  case netscape
  /// A JSON array with all attributes of each cookie.
  case json
}

extension CookieJar {
  /// Reads cookies from a file into the jar; each replaces the cookie of the same name, domain,
  /// ``Cookie/isHostOnly`` and path. Blocks while it reads.
  ///
  /// Cookies are checked as if a server had set them. Lines of `cookies.txt` that are malformed are skipped; JSON that is
  /// malformed or truncated is an error, and the jar is unchanged. Throws ``FaradayCore/StoreError``.
  @discardableResult
  public func read(from path: String, as form: CookieFile) throws -> StoreReadResult {
    let data = try StoreError.reading(path)
    do { return try read(data, as: form) } catch let failure as StoreError {
      throw StoreError(failure.reason, path: path)
    }
  }

  /// Reads cookies from the contents of a file. See ``read(from:as:)``.
  @discardableResult
  public func read(_ data: Data, as form: CookieFile) throws -> StoreReadResult {
    switch form {
    case .netscape: readNetscape(data)
    case .json: try readJSON(data)
    }
  }

  /// Writes all cookies that have not expired to a file, session cookies included: call ``endSession()`` first to leave them
  /// out. The file is replaced atomically, and only its owner can read it (mode 0600). Blocks while it writes. Throws
  /// ``FaradayCore/StoreError``.
  public func write(to path: String, as form: CookieFile) throws {
    try StoreError.writing(data(as: form), to: path)
  }

  /// The contents of the file that ``write(to:as:)`` writes.
  public func data(as form: CookieFile) throws -> Data {
    switch form {
    case .netscape: netscape
    case .json: try json
    }
  }

  private func readJSON(_ data: Data) throws -> StoreReadResult {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    do { return insert(read: try decoder.decode([MaybeCookie].self, from: data).map(\.cookie)) } catch {
      throw StoreError(.file("not a JSON array of cookies, or truncated"), path: nil)
    }
  }

  private var json: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.dateEncodingStrategy = .secondsSince1970
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(cookies)
    }
  }
}

/// An array element that may be an invalid cookie. It does not prevent the decoding of the others.
private struct MaybeCookie: Decodable {
  let cookie: Cookie?
  init(from decoder: any Decoder) { cookie = try? Cookie(from: decoder) }
}
