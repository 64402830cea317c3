public import FaradayCore

/// The conformance test suite for adapters: rules that every adapter must keep, to run as tests of your own adapter.
///
///     @Test(arguments: AdapterConformance.cases(for: adapter.capabilities))
///     func `the adapter keeps the contract`(rule: AdapterConformance.Case) async throws {
///       try await rule.run(over: adapter)
///     }
///
/// A rule that is broken throws a ``ConformanceError``. The rules start servers on the loopback interface, in this process, and
/// need no other program. They do not test certificates or HTTP/2.
public enum AdapterConformance {
  /// A rule: one test case.
  public struct Case: Sendable, CustomStringConvertible {
    /// The name of its group.
    public let group: String
    /// The rule as a sentence, unique in its group.
    public let name: String
    /// The capabilities with which the rule applies.
    public let needs: Capabilities
    /// Whether it needs a request over a real network connection. A mock keeps the rules that do not.
    public let needsWire: Bool
    private let body: @Sendable (Subject) async throws -> Void

    package init(
      _ name: String, group: String = "", needs: Capabilities = [], needsWire: Bool = true,
      body: @escaping @Sendable (Subject) async throws -> Void
    ) {
      self.group = group
      self.name = name
      self.needs = needs
      self.needsWire = needsWire
      self.body = body
    }

    fileprivate func grouped(_ group: String, needs more: Capabilities) -> Case {
      Case(name, group: group, needs: needs.union(more), needsWire: needsWire, body: body)
    }

    public var description: String { "\(group): \(name)" }

    /// Tests the rule over an adapter. Throws ``ConformanceError`` if it is broken. If `server` is nil, it starts one.
    public func run(over adapter: any Adapter, server: LocalServer? = nil) async throws {
      try await body(Subject(adapter: adapter, server: server ?? LocalServer()))
    }
  }

  /// All rules, by group.
  public static let all: [Case] = groups.flatMap(\.rules)

  /// The rules for an adapter with these capabilities: those that apply, and for each missing capability one that a request which
  /// needs it throws ``FaradayCore/TransportError/Code/unsupported``.
  public static func cases(for capabilities: Capabilities) -> [Case] {
    all.filter { capabilities.contains($0.needs) } + refusals(without: capabilities)
  }
}

/// A group of rules, in a file of its own.
package struct ConformanceGroup: Sendable {
  package typealias Case = AdapterConformance.Case

  /// The rules, with the group's name and capabilities.
  package let rules: [Case]

  /// - Parameter needs: the capabilities with which the group applies.
  package init(name: String, needs: Capabilities = [], cases: [Case]) {
    rules = cases.map { $0.grouped(name, needs: needs) }
  }
}

/// An adapter breaks a rule of ``AdapterConformance``.
public struct ConformanceError: FaradayError {
  /// The expectation and the actual value.
  public let message: String
  /// The source file of the rule.
  public let file: String
  /// The line in that file.
  public let line: Int

  public var description: String { "\(file):\(line): \(message)" }
}
