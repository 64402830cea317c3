import Faraday

/// The settings of the transfers between two `--next`.
struct Operation: Sendable {
  /// The warnings about the options.
  var warnings: [String] = []

  // The targets.
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
  var form: [FormArgument] = []
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
  var etagSave: String?
  var etagCompare: String?
  var refusesUserInURL = false

  // Redirects and retries.
  var location = false
  var trustsRedirects = false
  /// The maximum number of redirects; -1 for no limit.
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
  var clobber = OutputRules.Clobber.unlessNamedByServer
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
  /// Changes to the library's options, by the name of the command's option. They are applied last.
  var edits: [String: @Sendable (inout Options) -> Void] = [:]
  var tls = TLSArguments()
  var proxy = ProxyArguments()
  var network = Network()
  var hsts: String?
  var altSvc: String?
}

/// The kind of request that the options select. Selecting two kinds is an error.
enum RequestKind: String, Sendable {
  case get = "GET (-G, --get)"
  case head = "HEAD (-I, --head)"
  case form = "multipart formpost (-F, --form)"
  case post = "POST (-d, --data)"
  case put = "PUT (-T, --upload-file)"
}

/// Whether `.netrc` is read.
enum NetrcUse: Sendable { case never, optional, always }

/// `-C`: the offset at which a transfer resumes.
enum Resume: Sendable, Equatable {
  case at(Int64)
  /// The end of the existing file.
  case automatic
}

/// A URL with its output and its upload. Separate arguments set the three, in any order.
struct TargetArgument: Sendable, Equatable {
  enum Output: Sendable, Equatable {
    case file(String)
    case remoteName
    /// `--no-remote-name`: standard output, even with `--remote-name-all`.
    case standard
  }

  var url: String?
  var output: Output?
  var upload: String?

  /// The file to upload; nil also for `-T ''`, which fills the place of an upload without a file.
  var uploadFile: String? { upload.flatMap { $0.isEmpty ? nil : $0 } }
}

extension Operation {
  /// Returns the index of the first target whose value at this key path is nil. Appends a target if all have a value.
  private mutating func target<Value>(without key: KeyPath<TargetArgument, Value?>) -> Int {
    if let index = targets.firstIndex(where: { $0[keyPath: key] == nil }) { return index }
    targets.append(TargetArgument())
    return targets.count - 1
  }

  mutating func add(_ field: FormArgument) throws {
    form.append(field)
    warnings += field.warnings
    try choose(.form)
  }

  mutating func add(url: String) { targets[target(without: \.url)].url = url }
  mutating func add(output: TargetArgument.Output) { targets[target(without: \.output)].output = output }
  mutating func add(upload: String) { targets[target(without: \.upload)].upload = upload }

  /// Whether the transport negotiates the authentication with the server.
  var negotiates: Bool { !schemes.isSubset(of: .basic) }

  /// The output for the body of a target.
  func output(of target: TargetArgument) -> TargetArgument.Output {
    target.output ?? (allRemoteNames ? .remoteName : .standard)
  }

  /// Whether a body is written to standard output.
  var writesToOutput: Bool {
    targets.contains { target in target.url != nil && [.standard, .file("-")].contains(output(of: target)) }
  }

  /// Selects the kind of request. Throws if another kind is already selected.
  mutating func choose(_ new: RequestKind) throws {
    if let kind, kind != new {
      throw UsageFailure(
        "You can only select one HTTP request method! You asked for both \(new.rawValue) and \(kind.rawValue).")
    }
    kind = new
  }
}
