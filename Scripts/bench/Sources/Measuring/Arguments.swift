/// What every program under test is told, in the same words: `PROGRAM MODE URL [options]`. The C program takes them too.
public struct Arguments: Sendable {
  public var mode = ""
  public var url = ""
  /// Another URL that a mode needs.
  public var second = ""
  public var requests = 1
  public var concurrency = 1
  public var bytes = 0
  /// The file to write to, or to send.
  public var file = ""
  /// The PEM file with the servers' certificate.
  public var certificate = ""
  /// The HTTP version: 1, 2 or 3.
  public var version = 1
  /// Handshakes begin anew instead of resuming a session.
  public var forgetsSessions = false
  /// Which of the clients of a program.
  public var client = ""
  /// How many threads of the client, if it has a choice.
  public var threads = 1
  /// How many middleware that do nothing.
  public var layers = 0
  /// The pool is as configured by default, whatever the concurrency.
  public var isByDefault = false
  /// The standard list of middleware.
  public var isStandard = false
  /// The program ends after so many seconds.
  public var limit = 120

  public struct Wrong: Error, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
  }

  /// The program cannot do this kind of work here. It ends with 4, and is left out of the row.
  public struct Unable: Error, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
  }

  public init(_ words: [String]) throws {
    guard words.count >= 2 else { throw Wrong("usage: MODE URL [options]") }
    (mode, url) = (words[0], words[1])
    var rest = words.dropFirst(2)
    while let option = rest.popFirst() {
      switch option {
      case "--forget-sessions": forgetsSessions = true
      case "--standard": isStandard = true
      case "--by-default": isByDefault = true
      default:
        guard let value = rest.popFirst() else { throw Wrong("\(option) needs a value") }
        try set(option, to: value)
      }
    }
  }

  private mutating func set(_ option: String, to value: String) throws {
    switch option {
    case "--requests": requests = try Self.number(value)
    case "--concurrency": concurrency = try Self.number(value)
    case "--bytes": bytes = try Self.number(value)
    case "--limit": limit = try Self.number(value)
    case "--http": version = try Self.number(value)
    case "--threads": threads = try Self.number(value)
    case "--layers": layers = try Self.number(value)
    case "--second": second = value
    case "--file": file = value
    case "--certificate": certificate = value
    case "--client": client = value
    default: throw Wrong("unknown option \(option)")
    }
  }

  private static func number(_ text: String) throws -> Int {
    guard let number = Int(text), number > 0 else { throw Wrong("\(text) is not a number above 0") }
    return number
  }
}
