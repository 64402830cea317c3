package import FaradayCore

package func expect(
  _ isTrue: Bool, _ message: @autoclosure () -> String = "this is not so", file: String = #fileID, line: Int = #line
) throws {
  guard isTrue else { throw ConformanceError(message: message(), file: file, line: line) }
}

package func expectEqual<Value: Equatable>(_ value: Value, _ expected: Value, file: String = #fileID, line: Int = #line) throws {
  try expect(value == expected, "\(shortened(value)) is not \(shortened(expected))", file: file, line: line)
}

/// Unwraps the value, or fails.
package func require<Value>(_ value: Value?, _ message: String = "this is missing", file: String = #fileID, line: Int = #line)
  throws
  -> Value
{
  guard let value else { throw ConformanceError(message: message, file: file, line: line) }
  return value
}

/// Expects an exchange, read to its end, to fail with a ``FaradayCore/TransportError`` of one of these codes. Returns the
/// error.
@discardableResult
package func expectFailure(
  _ codes: TransportError.Code..., file: String = #fileID, line: Int = #line, _ exchange: () async throws -> Response
) async throws -> TransportError {
  try await expectFailure(in: codes, file: file, line: line, exchange)
}

@discardableResult
package func expectFailure(
  in codes: [TransportError.Code], file: String = #fileID, line: Int = #line, _ exchange: () async throws -> Response
) async throws -> TransportError {
  do {
    let response = try await exchange()
    _ = try await response.body.collect(upTo: .max)
  } catch let error as TransportError {
    try expect(codes.isEmpty || codes.contains(error.code), "\(error) is not \(codes)", file: file, line: line)
    return error
  } catch {
    throw ConformanceError(message: "\(error) is no transport error", file: file, line: line)
  }
  throw ConformanceError(message: "it did not fail", file: file, line: line)
}

/// Expects the closure to throw an error of this type.
package func expectThrows<Failure: Error>(
  _ type: Failure.Type, file: String = #fileID, line: Int = #line, _ body: () async throws -> Void
) async throws {
  do {
    try await body()
  } catch is Failure {
    return
  } catch {
    throw ConformanceError(message: "\(error) is no \(type)", file: file, line: line)
  }
  throw ConformanceError(message: "it did not throw", file: file, line: line)
}

private func shortened(_ value: Any) -> String {
  let text = "\(value)"
  return text.count > 300 ? text.prefix(300) + "…" : text
}
