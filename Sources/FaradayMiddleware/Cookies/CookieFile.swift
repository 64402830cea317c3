public import FaradayCore

/// The file formats of a ``CookieJar``.
public enum CookieFile: Sendable, Hashable {
  /// `cookies.txt`, the Netscape format of curl, wget and browsers: one line for each cookie. It has no `SameSite` and no dates
  /// of creation and use; a cookie with a tab in its name or path is left out.
  case netscape
  /// A JSON array with all attributes of each cookie.
  case json

  /// How many cookies of a file were stored, expired or rejected.
  public struct ReadResult: Sendable, Hashable {
    /// How many cookies were stored in the jar.
    public internal(set) var addedCount = 0
    /// How many had expired, and were left out.
    public internal(set) var expiredCount = 0
    /// What was malformed or rejected: line numbers from 1, or array indices from 0.
    public internal(set) var rejected: [Int] = []
  }
}

/// A cookie file that could not be read or written. The file's contents are not in it.
public struct CookieFileError: FaradayError, Hashable {
  /// The path of the file; empty where the cookies were read from data.
  public let path: String
  /// What failed: `cannot be read`, or what the system says of a failed write.
  public let reason: String

  public var description: String { (path.isEmpty ? "cookie data" : "cookie file " + path) + ": " + reason }
}

extension CookieJar {
  /// Reads cookies from a file into the jar; each replaces one of the same name, domain and path. Blocks while it reads.
  ///
  /// Cookies are checked as if a server had set them. Lines of `cookies.txt` that are malformed are skipped; JSON that is
  /// malformed or truncated is an error, and the jar is unchanged. Throws ``CookieFileError``.
  @discardableResult
  public func read(from path: String, as form: CookieFile) throws -> CookieFile.ReadResult {
    let data: Data
    do { data = try Data(contentsOf: URL(filePath: path)) } catch {
      throw CookieFileError(path: path, reason: "cannot be read")
    }
    do { return try read(data, as: form) } catch let failure as CookieFileError {
      throw CookieFileError(path: path, reason: failure.reason)
    }
  }

  /// Reads cookies from the contents of a file. See ``read(from:as:)``.
  @discardableResult
  public func read(_ data: Data, as form: CookieFile) throws -> CookieFile.ReadResult {
    switch form {
    case .netscape: readNetscape(data)
    case .json: try readJSON(data)
    }
  }

  /// Writes all cookies that have not expired to a file, session cookies included: call ``endSession()`` first to leave them
  /// out. The file is replaced atomically, and only its owner can read it (mode 0600). Blocks while it writes. Throws
  /// ``CookieFileError``.
  public func write(to path: String, as form: CookieFile) throws {
    let data = try data(as: form)
    do { try PrivateFile.write(data, to: path) } catch let failure as PrivateFile.Failure {
      throw CookieFileError(path: path, reason: failure.reason)
    }
  }

  /// The contents of the file that ``write(to:as:)`` writes.
  public func data(as form: CookieFile) throws -> Data {
    switch form {
    case .netscape: netscape
    case .json: try json
    }
  }

  private func readJSON(_ data: Data) throws -> CookieFile.ReadResult {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    do { return insert(read: try decoder.decode([MaybeCookie].self, from: data).map(\.cookie)) } catch {
      throw CookieFileError(path: "", reason: "not a JSON array of cookies, or truncated")
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

/// An array element that may not be a cookie, and does not keep the others from being read.
private struct MaybeCookie: Decodable {
  let cookie: Cookie?
  init(from decoder: any Decoder) { cookie = try? Cookie(from: decoder) }
}
