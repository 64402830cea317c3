public import Faraday

/// A client of a service that keeps notes: what the article about testing tests.
public struct Notes: Sendable {
  public struct Note: Codable, Sendable, Equatable {
    public var text: String

    public init(text: String) { self.text = text }
  }

  private struct Saved: Decodable { let json: Note }

  private let connection: Connection

  public init(_ url: String, over adapter: any Adapter) throws {
    connection = try Connection(url, adapter: adapter, middleware: .standard())
  }

  /// Saves a note, and returns it as the service has kept it.
  public func save(_ note: Note) async throws -> Note {
    try await connection.put("anything/note", json: note).decode(Saved.self).json
  }

  /// The first line of the service's robots.txt.
  public func rules() async throws -> String {
    for try await line in connection.lines("robots.txt") { return line }
    return ""
  }
}
