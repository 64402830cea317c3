import Faraday

/// The settings of the transfers between two `--next`.
struct Operation: Sendable {
  /// What the options warn of.
  var warnings: [String] = []

  // What is transferred.
  var targets: [TargetArgument] = []
  /// Whether `-O` is implied for each URL.
  var allRemoteNames = false

  // The request.
  var method: String?
  var kind: RequestKind?
  var headers: [String] = []
  var data: [DataArgument] = []
  var isJSON = false
  var dataInURL = false
  var urlQuery: [DataArgument] = []
  var form: [FormText] = []
  var head = false
  var agent: String?
  var referer: String?
  var automaticReferer = false
  var range: String?
  var resume: Resume?
  var timeCondition: String?
  var cookies: [String] = []
  var cookieJar: String?
  var dropsSessionCookies = false
  var user: String?
  var bearer: String?
  var schemes: AuthenticationSchemes = []
  var awsSignature: String?
  var netrc: NetrcUse = .never
  var netrcFile: String?
  var requestTarget: String?
  var pathAsIs = false
  var globs = true
  var compressed = false
  var asksForTransferCoding = false
  var etagSave: String?
  var etagCompare: String?
  var refusesUserInURL = false

  // Redirects and retries.
  var location = false
  var trustsRedirects = false
  /// -1 is no limit.
  var maxRedirects = 50
  var keepsPost: Set<Int> = []
  var protocols = ProtocolSet()
  var redirectProtocols = ProtocolSet()
  var defaultProtocol: String?
  var retries = 0
  var retryDelay: Duration?
  var retryLimit: Duration?
  var retriesRefused = false
  var retriesAll = false

  // The output.
  var include = false
  var dumpHeader: String?
  var fails = false
  var failsWithBody = false
  var writeOut: String?
  var outputFolder: String?
  var createsFolders = false
  var clobbers = true
  var clobberIsSet = false
  var usesHeaderName = false
  var removesOnError = false
  var setsRemoteTime = false
  var maxFileSize: Int64?

  // The transport.
  var transport = Transport.curl
  var maxTime: Duration?
  var connectTimeout: Duration?
  var expectTimeout: Duration?
  var rates = TransferRates()
  var speedLimit: Int?
  var speedTime: Duration?
  var version: HTTPVersionPolicy?
  var acceptsHTTP09 = false
  var tls = TLSArguments()
  var proxy = ProxyArguments()
  var network = NetworkArguments()
  var hsts: String?
  var altSvc: String?
  /// Options of libcurl that the library has no property for.
  var curlSettings: [CurlSetting] = []
}

/// Which request the options ask for. Two of them are an error.
enum RequestKind: String, Sendable {
  case get = "GET (-G, --get)"
  case head = "HEAD (-I, --head)"
  case form = "multipart formpost (-F, --form)"
  case post = "POST (-d, --data)"
  case put = "PUT (-T, --upload-file)"
}

/// Whether `.netrc` is read.
enum NetrcUse: Sendable { case never, optional, always }

/// `-C`: where a transfer goes on.
enum Resume: Sendable, Equatable {
  case at(Int64)
  /// Where the file ends.
  case automatic
}

/// The text of one `-F` or `--form-string`.
struct FormText: Sendable, Equatable {
  let text: String
  /// Whether `@`, `<` and `;type=` have no special meaning.
  let isLiteral: Bool
}

/// A URL with its output and its upload; each is given by an argument of its own, in any order.
struct TargetArgument: Sendable, Equatable {
  enum Output: Sendable, Equatable {
    case file(String)
    case remoteName
    /// `--no-remote-name`: standard output, whatever `--remote-name-all` says.
    case standard
  }

  var url: String?
  var output: Output?
  var upload: String?

  /// The file to upload; nil also for `-T ''`, which takes the place of one.
  var uploadFile: String? { upload.flatMap { $0.isEmpty ? nil : $0 } }
}

extension Operation {
  /// The first target without what this key path leads to; a new one if there is none.
  private mutating func target<Value>(without key: KeyPath<TargetArgument, Value?>) -> Int {
    if let index = targets.firstIndex(where: { $0[keyPath: key] == nil }) { return index }
    targets.append(TargetArgument())
    return targets.count - 1
  }

  mutating func add(url: String) { targets[target(without: \.url)].url = url }
  mutating func add(output: TargetArgument.Output) { targets[target(without: \.output)].output = output }
  mutating func add(upload: String) { targets[target(without: \.upload)].upload = upload }

  /// Where the body of a target goes.
  func output(of target: TargetArgument) -> TargetArgument.Output {
    target.output ?? (allRemoteNames ? .remoteName : .standard)
  }

  /// Whether a body goes to standard output.
  var writesToOutput: Bool {
    targets.contains { target in target.url != nil && [.standard, .file("-")].contains(output(of: target)) }
  }

  /// Chooses the kind of request. Throws curl's warning if there is another one already.
  mutating func choose(_ new: RequestKind) throws {
    guard let kind, kind != new else {
      kind = new
      return
    }
    throw RequestConflict(new: new, old: kind)
  }
}

/// Options that ask for two kinds of request.
struct RequestConflict: Error, CustomStringConvertible {
  let new: RequestKind
  let old: RequestKind

  var description: String {
    "You can only select one HTTP request method! You asked for both \(new.rawValue) and \(old.rawValue)."
  }
}
