import FaradayCore
import FaradayTesting
import FoundationEssentials
import Testing

/// Servers that answer wrongly: one test each, on the exact bytes.
@Suite struct MalformedResponseTests {
  private func error(
    _ answer: String, edit: @Sendable (inout Request) -> Void = { _ in }, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> TransportError {
    let connection = try RawServer.answering(answer).connection()
    return try await transportError(sourceLocation: sourceLocation) { try await connection.get(edit: edit) }
  }
}
