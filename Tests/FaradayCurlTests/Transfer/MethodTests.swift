@_spi(Adapters) import FaradayCore
import FaradayTesting
import Testing

@Suite struct MethodTests {
  let server: LocalServer
  let connection: Connection

  init() throws {
    server = try LocalServer()
    connection = try server.connection()
  }

  @Test(arguments: ["", " ", " \t "])
  func `a header with an empty value is sent with an empty value`(value: String) async throws {
    let request = try await Inspected(
      connection.get("inspect") {
        try $0.headers.set(name: "X-Set", value: value)
        $0.headers[HTTPField.Name("X-Assigned")!] = value
      })
    #expect(request.values("x-set") == [""])
    #expect(request.values("x-assigned") == [""])
  }
}
