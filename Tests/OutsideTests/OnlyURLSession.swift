import FaradayURLSession

// The only import: the transport by import.

func statusOverURLSession(of url: String) async throws -> HTTPResponse.Status {
  try await Connection.shared.get(url).status
}

func statusOverURLSession(server: String, path: String) async throws -> HTTPResponse.Status {
  try await Connection(server, middleware: []).get(path).status
}
