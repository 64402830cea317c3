/// `bench MODE URL [--requests N] [--concurrency C] [--bytes N] [--second URL] [--limit SECONDS]`, as the C program takes it; and
/// `bench beside URL --second URL`, `bench json - [--requests ROUNDS]` and `bench json-deep READER [--requests DEPTH]`, of which the
/// last two send nothing.
struct Arguments {
  var mode = ""
  var url = ""
  var second = ""
  var requests = 1
  var concurrency = 1
  var bytes = 0
  var limit = 120

  struct Wrong: Error, CustomStringConvertible { let description: String }

  init(_ words: [String]) throws {
    guard words.count >= 2 else { throw Wrong(description: "usage: bench MODE URL [options]") }
    (mode, url) = (words[0], words[1])
    var rest = words.dropFirst(2)
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else { throw Wrong(description: "\(option) needs a value") }
      switch option {
      case "--requests": requests = try Self.number(value)
      case "--concurrency": concurrency = try Self.number(value)
      case "--bytes": bytes = try Self.number(value)
      case "--limit": limit = try Self.number(value)
      case "--second": second = value
      default: throw Wrong(description: "unknown option \(option)")
      }
    }
  }

  private static func number(_ text: String) throws -> Int {
    guard let number = Int(text), number > 0 else { throw Wrong(description: "\(text) is not a number above 0") }
    return number
  }
}
