import ArgumentParser
import Faraday

/// The options of the request.
struct RequestOptions: ParsableArguments {
  @Option(
    name: [.customShort("X"), .customLong("request")], parsing: .unconditional,
    help: ArgumentHelp("The request method.", valueName: "method"))
  var method: String?

  @Option(
    name: [.customShort("H"), .customLong("header")], parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Adds a header: 'Name: value'. 'Name;' sends it empty, 'Name:' removes a default, @file reads one per line.",
      valueName: "field"))
  var headers: [String] = []

  @Option(
    name: [.customShort("d"), .customLong("data"), .customLong("data-ascii")], parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Sends a POST body; repeated ones are joined by &. @file reads a file without line breaks, @- standard input.",
      valueName: "data"),
    transform: { DataArgument(.ascii, $0) })
  var data: [DataArgument] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Like --data, but keeps the line breaks of files.", valueName: "data"),
    transform: { DataArgument(.binary, $0) })
  var dataBinary: [DataArgument] = []

  @Option(
    parsing: .unconditionalSingleValue, help: ArgumentHelp("Like --data, but @ has no special meaning.", valueName: "data"),
    transform: { DataArgument(.raw, $0) })
  var dataRaw: [DataArgument] = []

  @Option(
    name: [.customShort("T"), .customLong("upload-file")], parsing: .unconditional,
    help: ArgumentHelp("Uploads the file with PUT, streamed; - is standard input.", valueName: "file"))
  var upload: String?

  @Flag(name: [.customShort("I"), .customLong("head")], help: "Sends a HEAD request and prints the response header.")
  var head = false

  @Option(
    name: [.customShort("u"), .customLong("user")], parsing: .unconditional,
    help: ArgumentHelp("The credentials for Basic authentication.", valueName: "user:password"))
  var user: String?

  @Option(
    name: [.customShort("A"), .customLong("user-agent")], parsing: .unconditional,
    help: ArgumentHelp("The User-Agent header; empty for none.", valueName: "name"))
  var agent: String?

  @Flag(name: [.customShort("L"), .customLong("location")], help: "Follows redirects.")
  var location = false

  @Option(
    name: .customLong("max-redirs"), parsing: .unconditional,
    help: ArgumentHelp("The maximum number of redirects with --location; -1 is no limit.", valueName: "number"))
  var maxRedirects = 50

  @Flag(
    name: [.customShort("g"), .customLong("globoff")],
    help: "For compatibility with curl; brackets and braces in URLs are never expanded.")
  var globoff = false

  @Flag(help: "For compatibility with curl; dot segments of the URL are always sent as they are.")
  var pathAsIs = false

  /// The middleware between the command and the adapter.
  var middleware: [any Middleware] {
    location ? [.redirects(limit: maxRedirects < 0 ? .max : maxRedirects)] : []
  }

  /// The arguments of all forms of `-d`.
  var allData: [DataArgument] { data + dataBinary + dataRaw }

  func validate() throws {
    let kinds = [!allData.isEmpty, upload != nil, head].count { $0 }
    if kinds > 1 { throw ValidationError("-d, -T and -I cannot be combined") }
    if maxRedirects < -1 || maxRedirects == 0 { throw ValidationError("--max-redirs must be 1 or more, or -1 for no limit") }
    if let user, !user.contains(":") { throw ValidationError("-u requires user:password") }
  }
}
