public import FaradayCore

/// The contract that every adapter keeps, as a list of rules that can be run over one.
///
///     @Test(arguments: AdapterConformance.cases(for: adapter.capabilities))
///     func `the adapter keeps the contract`(rule: AdapterConformance.Case) async throws {
///       try await rule.run(over: adapter)
///     }
///
/// A rule that is broken throws a ``ConformanceFailure``. Servers are on the loopback interface; those for TLS and HTTP/2 are
/// nginx and nghttpx, which have to be installed.
public enum AdapterConformance {
  /// One rule.
  public struct Case: Sendable, CustomStringConvertible {
    /// What the rule is about.
    public let group: String
    /// What it says, as a sentence. No two in a group have the same.
    public let name: String
    /// What an adapter must claim to be held to it.
    public let needs: Capabilities
    /// Whether it needs a request that really goes over a wire. A mock keeps the rules that do not.
    public let needsWire: Bool
    private let body: @Sendable (Subject) async throws -> Void

    init(
      _ name: String, group: String = "", needs: Capabilities = [], needsWire: Bool = true,
      body: @escaping @Sendable (Subject) async throws -> Void
    ) {
      self.group = group
      self.name = name
      self.needs = needs
      self.needsWire = needsWire
      self.body = body
    }

    func grouped(_ group: String, needs more: Capabilities) -> Case {
      Case(name, group: group, needs: needs.union(more), needsWire: needsWire, body: body)
    }

    public var description: String { "\(group): \(name)" }

    /// Holds the adapter to the rule. Without a server it starts one.
    public func run(over adapter: any Adapter, server: LocalServer? = nil) async throws {
      try await body(Subject(adapter: adapter, server: server ?? LocalServer()))
    }
  }

  /// Every rule, in the order of the groups.
  public static let all: [Case] = groups.flatMap { group in
    group.cases.map { $0.grouped(group.name, needs: group.needs) }
  }

  /// The rules for an adapter that claims this: those that it is held to, and that what it does not claim fails and is not
  /// ignored.
  public static func cases(for capabilities: Capabilities) -> [Case] {
    all.filter { capabilities.isSuperset(of: $0.needs) } + refusals(without: capabilities)
  }
}

/// Rules of one kind, in a file of their own.
struct ConformanceGroup: Sendable {
  typealias Case = AdapterConformance.Case

  let name: String
  /// What all of them need.
  var needs: Capabilities = []
  let cases: [AdapterConformance.Case]
}

/// A rule that is broken.
public struct ConformanceFailure: FaradayError {
  public let message: String
  /// The line of the rule.
  public let file: String
  public let line: Int

  public var description: String { "\(file):\(line): \(message)" }
}
