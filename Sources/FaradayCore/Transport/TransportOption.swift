/// An option of a request that an adapter may not support: a row of ``all``. Other features of adapters have rows too.
///
/// The rows are the source of the capabilities with their texts, the capabilities that a request needs, the checks of values,
/// the rules for rejected requests, the table in the documentation, and switches of the command.
package struct TransportOption: Sendable, CustomStringConvertible {
  package typealias Fields = UncommonOptions.Fields

  /// The property of ``Options``: `tls.caFile`. Includes the value if only one value needs the capability:
  /// `httpVersion = .http2`. Nil if the capability belongs to no option.
  package let name: String?
  package let capability: Capabilities
  /// Additional text for the table.
  package let text: String?
  /// The curl option; nil if curl has none.
  package let curl: CurlForm?
  /// Sets the option to a value that needs the capability.
  package let set: @Sendable (inout Options) -> Void
  /// Adds the method, body or header fields that a request with the option needs.
  package let prepare: @Sendable (inout Request) throws -> Void
  private let need: Need
  private let check: Check?

  /// The requests that need the capability.
  private enum Need: Sendable {
    /// No request: the adapter always has this behaviour.
    case never
    case request(@Sendable (Request.Fields) -> Bool)
    case options(@Sendable (Options.Fields) -> Bool)
    /// A part of ``Options`` that most requests do not have.
    case uncommon(@Sendable (Fields) -> Bool)
  }

  /// The reason why no adapter can use the value of the option; nil if the value is valid.
  private enum Check: Sendable {
    case options(@Sendable (Request) -> Problem?)
    case uncommon(@Sendable (Request, Fields) -> Problem?)
  }

  /// The curl option for an option, with its two dashes.
  package enum CurlForm: Sendable {
    /// A switch that `faraday` derives from the row, with its line of help.
    case flag(String, help: String)
    /// A word without a value.
    case word(String)
    /// An option with a value. It is omitted if the value is nil.
    case value(String, @Sendable (Fields) -> String?)
    /// An option that `Request.curlCommand` writes by a special rule.
    case other(String)

    /// `--cacert`.
    package var name: String {
      switch self {
      case .flag(let name, _), .word(let name), .value(let name, _), .other(let name): name
      }
    }
  }

  /// The reason why no adapter can use the value of an option. The text continues a sentence that begins with the option's
  /// name.
  package struct Problem: Sendable, ExpressibleByStringInterpolation {
    package let code: TransportError.Code
    package let text: String

    package init(_ code: TransportError.Code, _ text: String) { (self.code, self.text) = (code, text) }
    package init(stringLiteral text: String) { self.init(.invalidOption, text) }
  }
}

// MARK: rows

extension TransportOption {
  /// A feature that an adapter has or lacks, and that no request needs.
  static func feature(_ capability: Capabilities, _ text: String) -> TransportOption {
    TransportOption(
      name: nil, capability: capability, text: text, curl: nil, set: { _ in }, prepare: { _ in }, need: .never, check: nil)
  }

  /// A feature of a request outside its options.
  static func request(
    _ capability: Capabilities, _ text: String, when isNeeded: @escaping @Sendable (Request.Fields) -> Bool,
    example: @escaping @Sendable (inout Request) throws -> Void
  ) -> TransportOption {
    TransportOption(
      name: nil, capability: capability, text: text, curl: nil, set: { _ in }, prepare: example, need: .request(isNeeded),
      check: nil)
  }

  /// An option that is checked for each request.
  ///
  /// - Parameters:
  ///   - isNeeded: whether a request with these options needs the capability.
  ///   - check: returns the reason why no adapter can use the value; nil if the value is valid.
  ///   - prepare: adds the parts that a request with the option must also have.
  ///   - example: sets the option to a value that needs the capability.
  static func option(
    _ name: String, _ capability: Capabilities, _ text: String? = nil, curl: CurlForm? = nil,
    when isNeeded: @escaping @Sendable (Options.Fields) -> Bool, check: (@Sendable (Request) -> Problem?)? = nil,
    with prepare: @escaping @Sendable (inout Request) throws -> Void = { _ in },
    example: @escaping @Sendable (inout Options) -> Void
  ) -> TransportOption {
    TransportOption(
      name: name, capability: capability, text: text, curl: curl, set: example, prepare: prepare, need: .options(isNeeded),
      check: check.map { .options($0) })
  }

  /// An option of ``UncommonOptions``, with the parameters of ``option(_:_:_:curl:when:check:with:example:)``: it costs nothing
  /// in requests without these options.
  static func uncommon(
    _ name: String, _ capability: Capabilities, _ text: String? = nil, curl: CurlForm? = nil,
    when isNeeded: @escaping @Sendable (Fields) -> Bool, check: (@Sendable (Request, Fields) -> Problem?)? = nil,
    with prepare: @escaping @Sendable (inout Request) throws -> Void = { _ in },
    example: @escaping @Sendable (inout Options) -> Void
  ) -> TransportOption {
    TransportOption(
      name: name, capability: capability, text: text, curl: curl, set: example, prepare: prepare, need: .uncommon(isNeeded),
      check: check.map { .uncommon($0) })
  }
}

// MARK: queries of the rows

extension TransportOption {
  /// The property of ``Options``: `tls.caFile`. Nil if there is none.
  package var property: String? { name.map { String($0.prefix { $0 != " " }) } }

  package var description: String { name ?? capability.names.joined() }

  /// Whether some request needs the capability.
  package var isRequestable: Bool {
    if case .never = need { false } else { true }
  }

  /// Makes a request need the capability.
  package func ask(of request: inout Request) throws {
    try prepare(&request)
    set(&request.options)
  }

  /// Whether a request with these options needs the capability.
  package func isSet(in options: Options) -> Bool {
    switch need {
    case .never, .request: false
    case .options(let isNeeded): isNeeded(options.stored)
    case .uncommon(let isNeeded): options.transport.map { isNeeded($0.fields) } ?? false
    }
  }

  /// The capabilities, in the order of the rows.
  static let capabilities: [Capabilities] = {
    var found: Set<Capabilities> = []
    return all.map(\.capability).filter { found.insert($0).inserted }
  }()

  /// The short description of a capability: its options, and the texts of its rows.
  static func meaning(of capability: Capabilities) -> String {
    let rows = all.filter { $0.capability == capability }
    let names = rows.compactMap(\.name).enumerated().map { index, name in
      index == 0 ? "`options.\(name)`" : "`\(name.split(separator: ".").last ?? "")`"
    }
    let texts = rows.compactMap(\.text)
    return [names.joined(separator: ", "), texts.joined(separator: ", ")].filter { !$0.isEmpty }.joined(separator: ": ")
  }

  /// Whether the option belongs to ``UncommonOptions``, which most requests do not set.
  package var isUncommon: Bool {
    if case .uncommon = need { true } else { false }
  }

  // Each request is tested against all rows. These types contain only the test, so that a loop over them retains no capability
  // set.

  private struct RequestNeed: Sendable {
    let isNeeded: @Sendable (Request.Fields) -> Bool
    let row: Int
  }

  private struct OptionNeed: Sendable {
    let isNeeded: @Sendable (Options.Fields) -> Bool
    let row: Int
  }

  private static let requestNeeds = all.indices.compactMap { row in
    if case .request(let isNeeded) = all[row].need { RequestNeed(isNeeded: isNeeded, row: row) } else { nil }
  }
  private static let optionNeeds = all.indices.compactMap { row in
    if case .options(let isNeeded) = all[row].need { OptionNeed(isNeeded: isNeeded, row: row) } else { nil }
  }

  /// The indices of the rows whose capabilities these options need.
  static func rows(neededBy fields: Fields) -> [Int] {
    all.indices.filter { if case .uncommon(let isNeeded) = all[$0].need { isNeeded(fields) } else { false } }
  }

  /// Calls the closure with the index of each row whose capability a request needs. Allocates nothing.
  private static func forEachRow<Failure>(
    neededBy request: Request, _ body: (Int) throws(Failure) -> Void
  ) throws(Failure) {
    // Spans: a loop over an array retains the context of each closure.
    let request = request.stored
    let ofRequest = requestNeeds.span
    for index in ofRequest.indices where ofRequest[index].isNeeded(request) { try body(ofRequest[index].row) }
    let options = request.options.stored
    let ofOptions = optionNeeds.span
    for index in ofOptions.indices where ofOptions[index].isNeeded(options) { try body(ofOptions[index].row) }
    guard let transport = options.transport else { return }
    for row in transport.neededRows { try body(row) }
  }

  /// Calls the closure with each capability that a request needs, possibly more than once.
  static func visitNeeds(of request: Request, _ visit: (Capabilities) -> Void) {
    forEachRow(neededBy: request) { visit(all[$0].capability) }
  }

  /// Calls the closure like ``visitNeeds(of:_:)``. Throws if an option of the request has a value that no adapter can use.
  /// Options with their default values are valid and are not checked.
  static func check(_ request: Request, _ visit: (Capabilities) -> Void) throws(TransportError) {
    try forEachRow(neededBy: request) { row throws(TransportError) in
      if let problem = all[row].problem(in: request) {
        throw TransportError(problem.code, building: request, "options.\(all[row].property ?? "") \(problem.text)")
      }
      visit(all[row].capability)
    }
  }

  /// The reason why no adapter can use the value of this option in a request; nil if the value is valid.
  private func problem(in request: Request) -> Problem? {
    switch check {
    case nil: nil
    case .options(let problem): problem(request)
    case .uncommon(let problem): request.options.transport.flatMap { problem(request, $0.fields) }
    }
  }

  /// The reason why no adapter can use these TLS options for a proxy, by the checks for the request's TLS options; nil if they
  /// are valid.
  static func problem(with tls: TLS, in request: Request) -> Problem? {
    guard tls != TLS() else { return nil }
    var request = request
    request.options.tls = tls
    for row in all where row.name?.hasPrefix("tls.") == true && row.isSet(in: request.options) {
      if let problem = row.problem(in: request) {
        return Problem(problem.code, "has \(row.description), which \(problem.text)")
      }
    }
    return nil
  }
}
