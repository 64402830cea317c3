package import FaradayCore
package import FaradayTesting
internal import TestServers

/// A part of the conformance rules. A rule waits for its server most of the time: several lanes at a time take the time of one.
/// Each lane has an adapter of its own and runs its rules one after another.
package struct Lane: Sendable {
  package static let count = 3

  package let adapter: any Adapter
  package let rules: [AdapterConformance.Case]

  /// - Parameter index: below ``count``. Each rule is in exactly one lane.
  package init(_ index: Int, of adapter: some Adapter, where isIncluded: (AdapterConformance.Case) -> Bool = { _ in true }) {
    self.adapter = adapter
    let rules = AdapterConformance.casesWithServers(for: adapter.capabilities).filter(isIncluded)
    self.rules = stride(from: index, to: rules.count, by: Self.count).map { rules[$0] }
  }
}
