public import FaradayCore

/// Runs a part of a test with a cassette, and finishes it: for XCTest, and for tests with more than one cassette.
///
///     try await withCassette("users", over: CurlAdapter()) { cassette in
///       let connection = try Connection("https://api.example.com", adapter: cassette)
///       #expect(try await connection.get("users").status == .ok)
///     }
///
/// The file is `Cassettes/users.har` in the folder of the test's source file. The arguments are those of
/// ``Cassette/init(_:over:mode:matching:repeats:pace:secrets:clock:)``, without the clock. If the closure throws, nothing is
/// written. Throws also what ``Cassette/finish()`` throws.
public func withCassette<Result>(
  _ name: String, over adapter: (any Adapter)? = nil, mode: Cassette.Mode? = nil, matching: Cassette.Matching = .init(),
  repeats: Bool = false, pace: Cassette.Pace = .immediate, secrets: Secrets = .none, filePath: String = #filePath,
  perform: (Cassette) async throws -> Result
) async throws -> Result {
  let cassette = try Cassette(
    "\(filePath.folder)/Cassettes/\(name).har", over: adapter, mode: mode, matching: matching, repeats: repeats, pace: pace,
    secrets: secrets)
  let result = try await perform(cassette)
  try cassette.finish()
  return result
}

extension String {
  /// The folder of a path: the text before its last slash.
  var folder: String { split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") }
}
