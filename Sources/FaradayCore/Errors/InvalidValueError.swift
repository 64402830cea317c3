/// The error of a value that cannot be used in a request or as a setting. Nothing is sent. Its `description` contains no
/// secrets.
public struct InvalidValueError: FaradayError, Hashable, CustomReflectable {
  /// The kinds of values.
  public enum Kind: Sendable, Hashable {
    /// A header field whose name is not a token, or whose value contains CR, LF or NUL (header injection).
    case header
    /// A path template that could not be expanded with the given variables.
    case path(PathTemplate.Problem)
    /// The URL of a proxy.
    case proxy
    /// A text that is neither an IP address nor a range in CIDR notation.
    case addressRange
    /// A public suffix list without rules.
    case publicSuffixList
    /// The file of a mock response: it cannot be read or is empty.
    case mockFile
    /// A setting of a configuration, named by its key.
    case setting
  }

  /// The kind of the value.
  public let kind: Kind
  /// The name of the header field, the template, the URL, the text, the path of the file, or the key: redacted, and truncated
  /// after 1 KiB. It never contains the value of a header field, which may be a secret. Empty for a public suffix list.
  public let value: String
  /// The reason why the value is invalid.
  public let reason: String
  /// The request. A request whose path is invalid has the connection's base URL. Nil if there was no request yet.
  public let request: RequestSummary?
  /// The template as it was passed.
  private let template: String?

  /// - Parameter value: the redacted value.
  package init(_ kind: Kind, _ value: String, _ reason: String, request: RequestSummary? = nil) {
    self.kind = kind
    self.value = value
    self.reason = reason
    self.request = request
    template = nil
  }

  package init(path problem: PathTemplate.Problem, template: String) {
    self.init(problem, template, Secrets(), request: nil)
  }

  /// The error of a path template with the request that has it.
  package init(_ error: InvalidValueError, method: HTTPRequest.Method, baseURL: URL?, _ secrets: Secrets) {
    guard case .path(let problem) = error.kind else {
      self = error
      return
    }
    let base = baseURL.map { secrets.redacting($0) } ?? ""
    self.init(problem, error.template ?? error.value, secrets, request: RequestSummary(method: method, url: base))
  }

  private init(_ problem: PathTemplate.Problem, _ template: String, _ secrets: Secrets, request: RequestSummary?) {
    kind = .path(problem)
    value = secrets.redacting(urlText: template).bounded()
    reason = problem.text(of: Secrets().redacting(urlText: value).bounded().escapingControls())
    self.request = request
    self.template = template
  }

  public var description: String {
    switch kind {
    case .header: naming("header \(value): \(reason)")
    case .proxy: naming("\(value) is not the URL of a proxy: it has \(reason)")
    case .mockFile: naming("the mock \(value) cannot be used: \(reason)")
    case .setting: naming("the setting \(value) \(reason)")
    case .path, .addressRange, .publicSuffixList: naming(reason)
    }
  }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
