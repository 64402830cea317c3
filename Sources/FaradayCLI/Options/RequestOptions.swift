import ArgumentParser
import Faraday

/// The options about what is asked.
struct RequestOptions: ParsableArguments {
  @Option(
    name: [.customShort("X"), .customLong("request")], parsing: .unconditional,
    help: ArgumentHelp("The method.", valueName: "method"))
  var method: String?

  @Option(
    name: [.customShort("H"), .customLong("header")], parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "A header field: 'Name: value'; 'Name;' sends it empty, 'Name:' leaves a default out, @file has one per line.",
      valueName: "field"))
  var headers: [String] = []

  @Option(
    name: [.customShort("d"), .customLong("data"), .customLong("data-ascii")], parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "The body of a POST; repeated ones are joined by &. @file is read, without its line breaks; @- is standard input.",
      valueName: "data"),
    transform: { DataArgument(.ascii, $0) })
  var data: [DataArgument] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("As --data, but a file is sent as it is.", valueName: "data"),
    transform: { DataArgument(.binary, $0) })
  var dataBinary: [DataArgument] = []

  @Option(
    parsing: .unconditionalSingleValue, help: ArgumentHelp("As --data, but @ means nothing.", valueName: "data"),
    transform: { DataArgument(.raw, $0) })
  var dataRaw: [DataArgument] = []

  @Option(
    name: [.customShort("T"), .customLong("upload-file")], parsing: .unconditional,
    help: ArgumentHelp("PUTs the file, streamed; - is standard input.", valueName: "file"))
  var upload: String?

  @Flag(name: [.customShort("I"), .customLong("head")], help: "Asks for the head only, and shows it.")
  var head = false

  @Option(
    name: [.customShort("u"), .customLong("user")], parsing: .unconditional,
    help: ArgumentHelp("Basic authentication.", valueName: "user:password"))
  var user: String?

  @Option(
    name: [.customShort("A"), .customLong("user-agent")], parsing: .unconditional,
    help: ArgumentHelp("The User-Agent; empty for none.", valueName: "name"))
  var agent: String?

  @Flag(name: [.customShort("L"), .customLong("location")], help: "Follows redirects.")
  var location = false

  @Option(
    name: .customLong("max-redirs"), parsing: .unconditional,
    help: ArgumentHelp("With --location: the most redirects to follow; -1 is no limit.", valueName: "number"))
  var maxRedirects = 50

  @Flag(name: [.customShort("g"), .customLong("globoff")], help: "Takes brackets and braces in the URL as they are, as always.")
  var globoff = false

  @Flag(help: "Sends dot segments of the URL as they are, as always.")
  var pathAsIs = false

  /// What stands between the command and the adapter.
  var middleware: [any Middleware] {
    location ? [.redirects(limit: maxRedirects < 0 ? .max : maxRedirects)] : []
  }

  /// The arguments of the three forms of `-d`.
  var allData: [DataArgument] { data + dataBinary + dataRaw }

  func validate() throws {
    let kinds = [!allData.isEmpty, upload != nil, head].count { $0 }
    if kinds > 1 { throw ValidationError("-d, -T and -I exclude each other") }
    if maxRedirects < -1 || maxRedirects == 0 { throw ValidationError("--max-redirs wants 1 or more, or -1") }
    if let user, !user.contains(":") { throw ValidationError("-u wants user:password") }
  }
}
