public import FaradayCore

/// The forms in which a jar can be kept.
public enum CookieFile: Sendable, Hashable {
  /// `cookies.txt`, as curl and browsers have it: a line for each cookie. `SameSite` and the dates of creation and use are not
  /// in it; a cookie with a tab in its name or path has no place in it.
  case netscape
  /// An array of all that is known of each cookie.
  case json

  /// What came of reading one.
  public struct Reading: Sendable, Hashable {
    /// How many cookies were put into the jar.
    public internal(set) var addedCount = 0
    /// How many had expired, and were left out.
    public internal(set) var expiredCount = 0
    /// What was no cookie, or one that may not be kept: numbers of lines from 1, or places in the array from 0.
    public internal(set) var refused: [Int] = []
  }

  /// A file that cannot be read or written. What stands in it is not in the error.
  public struct Failure: FaradayError, Hashable {
    /// Empty where there was no file.
    public let path: String
    public let reason: String

    public var description: String { (path.isEmpty ? "cookies" : path) + ": " + reason }
  }
}

extension CookieJar {
  /// Puts the cookies of a file in, each in the place of one of its name, domain and path. Blocks while it reads.
  ///
  /// The rules hold for it as for a server. Of `cookies.txt`, lines that are no cookie are skipped; JSON that is no list of
  /// cookies or is cut off is an error, and the jar stays as it was. Throws ``CookieFile/Failure``.
  @discardableResult
  public func read(from path: String, as form: CookieFile) throws -> CookieFile.Reading {
    let data: Data
    do { data = try Data(contentsOf: URL(filePath: path)) } catch {
      throw CookieFile.Failure(path: path, reason: "it cannot be read")
    }
    do { return try read(data, as: form) } catch let failure as CookieFile.Failure {
      throw CookieFile.Failure(path: path, reason: failure.reason)
    }
  }

  /// Puts the cookies of a file's contents in. See ``read(from:as:)``.
  @discardableResult
  public func read(_ data: Data, as form: CookieFile) throws -> CookieFile.Reading {
    switch form {
    case .netscape: readNetscape(data)
    case .json: try readJSON(data)
    }
  }

  /// Writes all that has not expired, also what ends with the session: call ``endSession()`` before if that is over. The file
  /// takes the place of one that was there when it is whole, and only its owner can read it. Blocks while it writes. Throws
  /// ``CookieFile/Failure``.
  public func write(to path: String, as form: CookieFile) throws {
    try PrivateFile.write(data(as: form), to: path)
  }

  /// What ``write(to:as:)`` writes.
  public func data(as form: CookieFile) throws -> Data {
    switch form {
    case .netscape: netscape
    case .json: try json
    }
  }

  private func readJSON(_ data: Data) throws -> CookieFile.Reading {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    do { return insert(read: try decoder.decode([MaybeCookie].self, from: data).map(\.cookie)) } catch {
      throw CookieFile.Failure(path: "", reason: "this is no JSON list of cookies, or it is cut off")
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

/// An element that is no cookie does not keep the others out.
private struct MaybeCookie: Decodable {
  let cookie: Cookie?
  init(from decoder: any Decoder) { cookie = try? Cookie(from: decoder) }
}
