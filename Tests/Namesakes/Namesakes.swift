// A module with type names of Faraday, as Vapor has them.

public struct Request: Sendable {}

public struct Response: Sendable {
  public let text: String

  public init(text: String) { self.text = text }
}

public protocol Middleware: Sendable {}
