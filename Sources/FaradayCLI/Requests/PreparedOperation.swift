import Faraday

/// An operation with the files of its arguments read, so that each is read once for all its URLs.
struct PreparedOperation: Sendable {
  let settings: Operation
  let headers: [HeaderArgument]
  /// The bytes of all forms of `-d`.
  let data: Data?
  /// What is added to the query of each URL.
  let query: Data?
  let form: [FormArgument]
  let cookies: CookieEngine?
  /// The user and password of `-u`.
  let user: String?
  let timeCondition: TimeCondition?
  /// The entries of `.netrc`; nil if it is not to be read.
  let netrc: Netrc?
  /// The signature of `--aws-sigv4`.
  let signature: AWSSignature?
  let hsts: StoreFile<HSTSStore>?
  let altSvc: StoreFile<AltSvcStore>?
  /// What the arguments warn of.
  let warnings: [String]

  /// Reads files, and asks for a password that is not given. Throws what is wrong with the arguments.
  init(_ operation: Operation) throws {
    var settings = operation
    var warnings: [String] = []
    form = try settings.form.map { try FormArgument($0.text, isLiteral: $0.isLiteral) }
    warnings += form.flatMap(\.warnings)
    let data = settings.data.isEmpty ? nil : try DataArgument.joined(settings.data)
    var query: [Data] = []
    if settings.dataInURL, let data { query.append(data) }
    if !settings.urlQuery.isEmpty { query.append(try DataArgument.joined(settings.urlQuery)) }
    self.data = settings.dataInURL ? nil : data
    let joinedQuery = Data(query.joined(separator: "&".utf8))
    self.query = joinedQuery.isEmpty ? nil : joinedQuery
    if settings.targets.contains(where: { $0.uploadFile != nil }) { try settings.choose(.put) }
    if data != nil { try settings.choose(settings.dataInURL ? (settings.head ? .head : .get) : .post) }
    var headers = try HeaderArgument.all(settings.headers)
    if let file = settings.etagCompare { headers.append(try Self.etagCondition(file, isSaved: settings.etagSave != nil)) }
    if settings.isJSON {
      for (name, value) in [("Content-Type", "application/json"), ("Accept", "application/json")] where !headers.has(name) {
        headers.append(.field(name: name, value: value))
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
    let user = try settings.user.map { try Password.completing($0, for: "host") }
    self.user = user
    settings.proxy.user = try settings.proxy.user.map { try Password.completing($0, for: "proxy") }
    cookies = settings.cookies.isEmpty && settings.cookieJar == nil ? nil : CookieEngine(settings)
    warnings += cookies?.warnings ?? []
    timeCondition = settings.timeCondition.flatMap { text in
      let condition = TimeCondition(text)
      if condition == nil {
        warnings.append(
          "Illegal date format for -z, --time-cond (and not a file name). Disabling time condition. "
            + "See curl_getdate(3) for valid date syntax.")
      }
      return condition
    }
    netrc = try Self.netrc(settings)
    signature = try settings.awsSignature.map { text in
      let login = Login(user ?? ":")
      let scope = try AWSScope(parsing: text)
      return AWSSignature(scope, credentials: AWSCredentials(accessKey: login.user, secretKey: login.password))
    }
    hsts = settings.hsts.map { StoreFile(HSTSStore(), path: $0) }
    altSvc = settings.altSvc.map { StoreFile(AltSvcStore(), path: $0) }
    self.settings = settings
    self.warnings = warnings
  }

  /// Writes the files of cookies and stores. Returns what could not be written.
  func writeFiles() -> [String] {
    var failures: [String] = []
    do { try cookies?.write() } catch { failures.append("failed to save cookies in \(settings.cookieJar ?? "")") }
    do { try hsts?.write() } catch { failures.append("\(error)") }
    do { try altSvc?.write() } catch { failures.append("\(error)") }
    return failures
  }

  /// The entries of the file; a default file that is not there has none.
  private static func netrc(_ settings: Operation) throws -> Netrc? {
    guard settings.netrc != .never else { return nil }
    guard let file = settings.netrcFile else { return try Netrc() }
    guard let contents = try? InputFile(name: file).contents() else { return nil }
    return try Netrc(text: String(decoding: contents, as: UTF8.self))
  }

  /// `If-None-Match` with the ETag of a file; an empty one if there is none yet.
  private static func etagCondition(_ file: String, isSaved: Bool) throws -> HeaderArgument {
    let contents: Data
    do {
      contents = try InputFile(name: file).contents()
    } catch {
      guard isSaved else { throw CommandFailure(ExitStatus.readError, "Failed to open \(file)") }
      contents = Data()
    }
    let tag = String(decoding: contents.filter { $0 != 0x0D && $0 != 0x0A && $0 != 0 }, as: UTF8.self)
    return .field(name: "If-None-Match", value: tag.isEmpty ? "\"\"" : tag)
  }
}
