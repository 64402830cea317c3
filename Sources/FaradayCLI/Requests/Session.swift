import Faraday

/// The shared state of an operation's transfers: the files of its arguments, which are read once, its cookies, and its HSTS and
/// Alt-Svc stores.
struct Session: Sendable {
  let settings: Operation
  let headers: [HeaderArgument]
  /// The bytes of all forms of `-d`.
  let data: Data?
  /// The text to add to the query of each URL.
  let query: Data?
  /// The value of `Cookie` from `-b name=value`.
  let cookies: [UInt8]?
  /// The cookies of files and servers; nil if the options name no cookie file to read or write.
  let jar: CookieJar?
  /// The user and password of `-u`.
  let user: String?
  let timeCondition: TimeCondition?
  /// The entries of `.netrc`; nil if the file is not read.
  let netrc: Netrc?
  /// The signature of `--aws-sigv4`.
  let signature: AWSSignature?
  let hsts: HSTSStore?
  let altSvc: AlternativeServiceStore?
  /// The warnings about the arguments.
  let warnings: [String]

  /// Reads files, and prompts for a missing password. Throws an error if an argument is invalid.
  init(_ operation: Operation) throws {
    var settings = operation
    var warnings: [String] = []
    let data = settings.data.isEmpty ? nil : try DataArgument.joined(settings.data)
    var query: [Data] = []
    if settings.dataInURL, let data { query.append(data) }
    if !settings.urlQuery.isEmpty { query.append(try DataArgument.joined(settings.urlQuery)) }
    self.data = settings.dataInURL ? nil : data
    let joinedQuery = Data(query.joined(separator: "&".utf8))
    self.query = joinedQuery.isEmpty ? nil : joinedQuery
    if settings.targets.contains(where: { $0.uploadFile != nil }) { try settings.choose(.put) }
    if data != nil { try settings.choose(settings.dataInURL ? (settings.head ? .head : .get) : .post) }
    settings.form = try settings.form.map { try $0.readingInput() }
    var headers = try HeaderArgument.all(settings.headers)
    if let file = settings.etagCompare { headers.append(try Self.etagCondition(file, isSaved: settings.etagSave != nil)) }
    if settings.isJSON {
      for (name, value) in [("Content-Type", "application/json"), ("Accept", "application/json")] where !headers.has(name) {
        headers.append(HeaderArgument(name: name, value: value))
      }
    }
    self.headers = headers
    if settings.etagCompare != nil || settings.etagSave != nil, settings.targets.count > 1 {
      throw UsageFailure("The etag options only work on a single URL")
    }
    if let range = settings.range, !range.contains("-") {
      warnings.append("A specified range MUST include at least one dash (-). Appending one for you!")
      settings.range = range + "-"
    }
    let user = try settings.user.map { try Login.completing($0, for: "host") }
    self.user = user
    settings.proxy.user = try settings.proxy.user.map { try Login.completing($0, for: "proxy") }
    let pairs = settings.cookies.filter { $0.contains("=") }
    cookies = pairs.isEmpty ? nil : Array(pairs.map(ArgumentBytes.of).joined(separator: "; ".utf8))
    jar = Self.jar(settings, &warnings)
    timeCondition = settings.timeCondition.flatMap { TimeCondition($0) }
    if timeCondition == nil, settings.timeCondition != nil {
      warnings.append(
        "Illegal date format for -z, --time-cond (and not a file name). Disabling time condition. "
          + "A date is like '22 Nov 2026 12:00:00 GMT' or '2026-11-22'.")
    }
    netrc = try Self.netrc(settings)
    signature = try settings.awsSignature.map { text in
      let login = Login(user ?? ":")
      let scope = try AWSScope(parsing: text)
      return AWSSignature(scope, credentials: AWSCredentials(accessKey: login.user, secretKey: login.password))
    }
    // As with curl, a missing or unreadable file counts as empty.
    (hsts, altSvc) = (settings.hsts.map { _ in HSTSStore() }, settings.altSvc.map { _ in AlternativeServiceStore() })
    if let path = settings.hsts, !path.isEmpty { _ = try? hsts?.read(from: path) }
    if let path = settings.altSvc, !path.isEmpty { _ = try? altSvc?.read(from: path) }
    self.settings = settings
    self.warnings = warnings
  }

  /// Writes the files of cookies and stores. Returns a message for each file that could not be written.
  func writeFiles() -> [String] {
    var failures: [String] = []
    do {
      if settings.cookieJar == "-" {
        try Descriptor.output.write(jar?.data(as: .netscape) ?? Data())
      } else if let path = settings.cookieJar {
        try jar?.write(to: path, as: .netscape)
      }
    } catch { failures.append("failed to save cookies in \(settings.cookieJar ?? "")") }
    do { if let path = settings.hsts, !path.isEmpty { try hsts?.write(to: path) } } catch { failures.append("\(error)") }
    do { if let path = settings.altSvc, !path.isEmpty { try altSvc?.write(to: path) } } catch { failures.append("\(error)") }
    return failures
  }

  /// Reads the cookie files of `-b`. As with curl, a missing file counts as empty.
  private static func jar(_ settings: Operation, _ warnings: inout [String]) -> CookieJar? {
    let files = settings.cookies.filter { !$0.contains("=") }
    guard !files.isEmpty || settings.cookieJar != nil else { return nil }
    // As in curl, loopback counts as secure, like https.
    let jar = CookieJar(trustsLoopback: true)
    for file in files where !file.isEmpty {
      guard let contents = try? InputFile(name: file).contents() else { continue }
      _ = try? jar.read(contents, as: .netscape)
      // curl also accepts response heads in cookie files.
      let head = #/^set-cookie:/#.ignoresCase().anchorsMatchLineEndings()
      if String(decoding: contents, as: UTF8.self).contains(head) {
        warnings.append(
          "The Set-Cookie lines of \(file) are ignored: they do not name the host of their cookies. See --cookie-jar")
      }
    }
    if settings.dropsSessionCookies { jar.endSession() }
    return jar
  }

  /// Reads the `.netrc` file. A missing default file has no entries.
  private static func netrc(_ settings: Operation) throws -> Netrc? {
    guard settings.netrc != .never else { return nil }
    var netrc: Netrc
    if let file = settings.netrcFile {
      guard let contents = try? InputFile(name: file).contents() else { return nil }
      guard let text = String(validating: contents, as: UTF8.self) else {
        throw CommandFailure(ExitStatus.readError, "\(file) is not UTF-8")
      }
      netrc = try Netrc(text: text)
    } else {
      netrc = try Netrc()
    }
    if settings.negotiates { netrc.schemes = settings.schemes }
    return netrc
  }

  /// Returns `If-None-Match` with the ETag of a file, or with an empty ETag if the file has none yet.
  private static func etagCondition(_ file: String, isSaved: Bool) throws -> HeaderArgument {
    let tag: String
    do {
      tag = try InputFile(name: file).line()
    } catch {
      guard isSaved else { throw CommandFailure(ExitStatus.readError, "Failed to open \(file)") }
      tag = ""
    }
    return HeaderArgument(name: "If-None-Match", value: tag.isEmpty ? "\"\"" : tag)
  }
}

extension Session {
  /// The library's middleware of a transfer with curl's settings, outermost first, starting with the redirects.
  func middleware(for target: Target) -> [any Middleware] {
    let cookies: (any Middleware)? = jar.map { Cookies($0) }
    // As in curl, -u and -H take precedence over the file, even if -H only removes the field.
    let isGiven = user != nil || settings.bearer != nil || signature != nil || headers.has("Authorization")
    let netrc: (any Middleware)? = isGiven ? nil : netrc
    let hsts: (any Middleware)? = hsts.map { HSTS($0) }
    let alternatives: (any Middleware)? = altSvc.map { AlternativeServices($0) }
    return [redirects, hsts, cookies, netrc, Route(self, to: target), alternatives, signature].compactMap(\.self)
  }

  private var redirects: (any Middleware)? {
    guard settings.location else { return nil }
    return Redirects(
      limit: .max, allowsCleartextBody: settings.trustsRedirects, sendsReferer: settings.automaticReferer,
      keepsMethod: settings.keepsPost, followsLoops: true,
      credentials: settings.trustsRedirects ? .everyOrigin : .firstOrigin,
      policy: { [settings] redirect in
        if settings.maxRedirects >= 0, redirect.count >= settings.maxRedirects {
          throw CommandFailure(ExitStatus.tooManyRedirects, "Maximum (\(settings.maxRedirects)) redirects followed")
        }
        let scheme = redirect.newRequest.url.scheme?.lowercased() ?? ""
        guard settings.protocols.allows(scheme), settings.redirectProtocols.allows(scheme) else {
          throw CommandFailure.disabled(scheme: scheme)
        }
        return .follow
      })
  }
}

/// The time of `-z`: a date, or the modification time of a file.
struct TimeCondition: Sendable, Equatable {
  /// Whether only an older response is accepted, instead of a newer one. Set by a leading dash.
  let wantsOlder: Bool
  /// The time in seconds since 1970.
  let seconds: Int

  /// Parses a date or reads the time of a file. Returns nil if the text is neither.
  init?(_ text: String) {
    wantsOlder = text.hasPrefix("-")
    let date = text.first.map { "-+=".contains($0) } == true ? String(text.dropFirst()) : text
    guard let seconds = DateArgument.seconds(date) ?? Self.modification(of: date) else { return nil }
    self.seconds = seconds
  }

  /// The field of the request.
  var field: (name: String, value: String) {
    (wantsOlder ? "If-Unmodified-Since" : "If-Modified-Since", DateArgument.text(of: seconds))
  }

  /// Whether the response meets the condition, by its `Last-Modified`. A server may ignore the request's field.
  func isMet(by response: Response) -> Bool {
    guard let modified = response.headers[.lastModified].flatMap({ DateArgument.seconds($0) }), modified != 0 else { return true }
    return wantsOlder ? modified < seconds : modified > seconds
  }

  private static func modification(of path: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.modificationDate] as? Date).map { Int($0.timeIntervalSince1970) }
  }
}
