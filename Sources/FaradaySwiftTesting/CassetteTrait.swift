public import FaradayCore
public import FaradayTesting
public import Testing

/// Gives a test a cassette: ``FaradayTesting/Cassette/current``. See
/// ``Testing/Trait/cassette(_:over:mode:matching:repeats:pace:secrets:filePath:)``.
public struct CassetteTrait: TestTrait, TestScoping {
  let run: @Sendable (_ body: @Sendable (Cassette) async throws -> Void) async throws -> Void

  /// Runs the test with the cassette, and finishes it.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await Cassette.$nameOfTest.withValue(Self.filter(test.name)) {
      try await run { cassette in try await Cassette.$ofTest.withValue(cassette, operation: function) }
    }
  }

  /// The regular expression that finds a test: its name without its parameters, with a dot for what has a meaning there.
  static func filter(_ name: String) -> String {
    let parts = name.split(separator: "`", omittingEmptySubsequences: false)
    let plain = parts.count > 2 ? parts[1] : name.prefix { $0 != "(" }
    return String(plain.map { $0.isLetter || $0.isNumber || $0 == " " || $0 == "_" ? $0 : "." })
  }
}

extension Trait where Self == CassetteTrait {
  /// Gives a test a cassette, which ``FaradayTesting/Cassette/current`` returns:
  ///
  ///     @Test(.cassette("users", over: CurlAdapter())) func users() async throws {
  ///       let connection = try Connection("https://api.example.com", adapter: Cassette.current)
  ///       #expect(try await connection.get("users").status == .ok)
  ///     }
  ///
  /// The file is `Cassettes/users.har` in the folder of the test's source file. The first run records it. Later runs replay it,
  /// and fail if a request is unknown or a recording is not used. `FARADAY_CASSETTES=always swift test --filter NAME` records
  /// again; with `never` nothing is ever sent. The arguments are those of
  /// ``FaradayTesting/Cassette/init(_:over:mode:matching:repeats:pace:secrets:clock:)``.
  ///
  /// The cases of a test with arguments share the file: use
  /// ``FaradayTesting/withCassette(_:over:mode:matching:repeats:pace:secrets:filePath:perform:)`` with a name for each of them.
  public static func cassette(
    _ name: String, over adapter: (any Adapter)? = nil, mode: Cassette.Mode? = nil, matching: Cassette.Matching = .init(),
    repeats: Bool = false, pace: Cassette.Pace = .immediate, secrets: Secrets = .none, filePath: String = #filePath
  ) -> Self {
    CassetteTrait { body in
      try await withCassette(
        name, over: adapter, mode: mode, matching: matching, repeats: repeats, pace: pace, secrets: secrets, filePath: filePath,
        perform: body)
    }
  }
}
