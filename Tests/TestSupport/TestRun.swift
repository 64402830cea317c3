internal import FoundationEssentials

/// Which tests this process runs.
package enum TestRun {
  /// Whether the slow groups run too. `Scripts/check` sets `FARADAY_ALL_TESTS`.
  package static let isComplete = ProcessInfo.processInfo.environment["FARADAY_ALL_TESTS"] != nil
}
