import FaradayCore
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
  func `a header without a value is sent without one`(value: String) async throws {
    let request = try await Inspected(
      connection.get("inspect") {
        try $0.headers.set("X-Set", value)
        $0.headers[HTTPField.Name("X-Assigned")!] = value
      })
    #expect(request.values("x-set") == [""])
    #expect(request.values("x-assigned") == [""])
  }
}
