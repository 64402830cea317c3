@_spi(Adapters) @testable import FaradayCore
import FaradayTesting
import FoundationEssentials
import Testing

/// The errors of a response's body after the stack has returned the head.
@Suite struct BodyErrorTests {
  /// Its errors contain the URL.
  private struct Failing: Adapter {
    let capabilities: Capabilities = .all

    func send(_ request: Request) async throws -> Response {
      let stream = ResponseStream()
      let body = stream.body(length: nil) {
      } onUnwanted: {
      }
      _ = stream.write(Data("some".utf8))
      stream.fail(
        TransportError(
          .truncatedResponse, phase: .receiving, method: request.method, url: request.url, message: "gone",
          partialResponse: Response(status: .ok, url: request.url)))
      return Response(status: .ok, body: body, url: request.url, stream: stream)
    }
  }

  private static let deliveries: [@Sendable (inout Request) -> Void] = [
    { _ in },
    { $0.options.delivery = .streamed },
    { $0.options.onChunk = { _ in .continue } },
    {
      $0.options.delivery = .streamed
      $0.options.onDownloadProgress = { _ in }
    },
  ]

  @Test(arguments: deliveries.indices) func `the error of a body shows no secret of the connection in any delivery`(index: Int)
    async throws
  {
    var secrets = Secrets()
    secrets.insert("shh")
    let connection = try Connection("http://u:p@h/?shh=hidden", secrets: secrets, adapter: Failing())
    let error = await #expect(throws: TransportError.self) {
      let response = try await connection.get(edit: Self.deliveries[index])
      _ = try await response.body.collect()
    }
    #expect(error?.partialResponse?.description.hasPrefix("200 http://h/?shh=[secret] (0 headers, ") == true)
  }
}
