import FaradayCurl

// The only import: the transport by import.

func statusOverCurl(of url: String) async throws -> HTTPResponse.Status {
  try await Connection.shared.get(url).status
}

func statusOverCurl(server: String, path: String) async throws -> HTTPResponse.Status {
  try await Connection(server, middleware: []).get(path).status
}
