public import FaradayCore
internal import FaradaySupport

/// The user names and passwords of a `.netrc` file, as a middleware: it adds Basic credentials to requests without an
/// `Authorization` header, as `curl --netrc` does.
///
///     connection.use(try .netrc())
///     connection.use(try .netrc(file: "secrets/netrc"))
///
/// The file is read once, when the value is made. Hosts are compared case-insensitively, logins exactly. If the URL names a
/// user (`https://ada@host/`), the entry with that login is used; if it names a password too, nothing is added.
///
/// An entry belongs to the machine that the request's URL names, whatever its port, and is sent to no other. It is therefore
/// sent with cross-origin requests too (``FaradayCore/Request/isCrossOrigin``): a redirect to a host that has an entry gets
/// that entry, as with curl. Two kinds of entries are not sent with a cross-origin request, because another server chose its
/// target: the `default` entry, which would give a password to any host, and every entry over `http`, where a redirect would
/// expose the password in cleartext. Place it below ``Redirects``, so that it sees each hop.
public struct Netrc: RequestTransformer {
  /// The entries, in the order of the file.
  public let entries: [Entry]
  /// The authentication schemes for the credentials. Basic by default, in the `Authorization` header; with other schemes the
  /// adapter negotiates (``FaradayCore/Options/authentication``), which needs ``FaradayCore/Capabilities/authentication``.
  public var schemes: AuthenticationSchemes = .basic

  /// One entry: `machine example.com login ada password secret`. No description shows its password.
  public struct Entry: Sendable, Hashable {
    /// The host; nil for `default`, which is for every host.
    public var machine: String?
    /// The user name; nil if the entry has none.
    public var login: String?
    /// The password; nil if the entry has none.
    public var password: String?
    /// The additional account password, which HTTP does not use.
    public var account: String?
  }

  /// A user name and a password that belong together. No description shows the password.
  public struct Login: Sendable, Hashable {
    /// The user name; empty if the entry has none.
    public let user: String
    /// The password; empty if the entry has none.
    public let password: String
  }

  /// Reads the file that the environment variable `NETRC` names, else `.netrc` in the home directory (`HOME`). Without that
  /// file there are no entries. Throws ``NetrcError`` for a file that cannot be read or parsed.
  public init() throws(NetrcError) {
    try self.init(environment: ProcessInfo.processInfo.environment)
  }

  init(environment: [String: String]) throws(NetrcError) {
    let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 + "/.netrc" }
    guard let path = environment["NETRC"].flatMap({ $0.isEmpty ? nil : $0 }) ?? home else {
      entries = []
      return
    }
    entries = try Self.parsed(path, isOptional: true)
  }

  /// Reads a file. Blocks while it reads. Throws ``NetrcError`` for a file that is missing, or cannot be read or parsed.
  public init(file path: String) throws(NetrcError) {
    entries = try Self.parsed(path, isOptional: false)
  }

  /// Parses the text of a file. Throws ``NetrcError``.
  public init(text: String) throws(NetrcError) {
    var parser = try NetrcParser(Data(text.utf8))
    entries = try parser.entries()
  }

  private static func parsed(_ path: String, isOptional: Bool) throws(NetrcError) -> [Entry] {
    let data: Data
    do { data = try PrivateFile.read(path, limit: NetrcParser.maximumSize) } catch {
      if isOptional, error.isMissing { return [] }
      throw NetrcError(path: path, line: nil, reason: error.reason)
    }
    do {
      var parser = try NetrcParser(data)
      return try parser.entries()
    } catch {
      throw NetrcError(path: path, line: error.line, reason: error.reason)
    }
  }

  /// Returns the user name and password for a host. The source is the first entry for the host or the first `default` entry,
  /// whichever comes first in the file. An entry with a password is preferred. Nil if there is no entry.
  ///
  /// - Parameters:
  ///   - login: restricts the search to entries with this user name, or without one.
  ///   - allowsDefault: whether the `default` entry counts. True by default.
  public func credentials(host: String, login: String? = nil, allowsDefault: Bool = true) -> Login? {
    let host = host.lowercased()
    let found = entries.filter { entry in
      guard entry.machine.map({ $0.lowercased() == host }) ?? allowsDefault else { return false }
      guard entry.login != nil || entry.password != nil else { return false }
      return login == nil || entry.login == nil || entry.login == login
    }
    guard let entry = found.first(where: { $0.password != nil }) ?? found.first else { return nil }
    return Login(user: entry.login ?? login ?? "", password: entry.password ?? "")
  }

  public func transformed(_ request: Request, capabilities: Capabilities) throws -> Request {
    let url = request.url
    guard request.headers[.authorization] == nil, request.options.authentication == nil, url.password() == nil,
      !request.isCrossOrigin || request.isSecure,
      let host = url.host(percentEncoded: false)
    else { return request }
    let user = url.user(percentEncoded: false).flatMap { $0.isEmpty ? nil : $0 }
    guard let login = credentials(host: host, login: user, allowsDefault: !request.isCrossOrigin) else {
      return request
    }
    var request = request
    if schemes.isSubset(of: .basic) {
      try request.headers.authorize(.basic(user: login.user, password: login.password))
    } else {
      request.options.authentication = TransportAuthentication(user: login.user, password: login.password, schemes: schemes)
    }
    return request
  }
}

extension Netrc.Entry: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `machine example.com`, or `default`.
  public var description: String { machine.map { "machine " + $0.escapingControls() } ?? "default" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Netrc.Login: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// ``FaradayCore/Secrets/mark``.
  public var description: String { Secrets.mark }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A `.netrc` file that could not be read or parsed. The error does not contain any contents of the file.
public struct NetrcError: FaradayError, Hashable {
  /// The path of the file; empty where a text was parsed.
  public let path: String
  /// The line with the error, from 1; nil if the error concerns the whole file.
  public let line: Int?
  /// The reason: `a quote is not closed`, or the system's error.
  public let reason: String

  public var description: String {
    (path.isEmpty ? "netrc" : "netrc file " + path.bounded()) + (line.map { ", line \($0)" } ?? "") + ": " + reason
  }
}

extension Middleware where Self == Netrc {
  /// Sends the credentials of the user's `.netrc`. See ``FaradayMiddleware/Netrc``.
  public static func netrc() throws(NetrcError) -> Self { try Self() }

  /// Sends the credentials of a file in the format of `.netrc`.
  public static func netrc(file path: String) throws(NetrcError) -> Self { try Self(file: path) }

  /// Sends the credentials of a text in the format of `.netrc`.
  public static func netrc(text: String) throws(NetrcError) -> Self { try Self(text: text) }
}
