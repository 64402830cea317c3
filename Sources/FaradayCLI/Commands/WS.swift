import ArgumentParser
@_spi(Adapters) import Faraday
import FaradayWebSocket
import Synchronization

/// `faraday ws URL`: sends lines of the input as messages, and shows the messages that arrive.
struct WS: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Opens a WebSocket: sends each line of standard input as a message, and writes each received message as a line.")

  @Argument(help: ArgumentHelp("The URL: ws, wss, http or https.", valueName: "url"))
  var url: String

  @Option(
    name: [.customShort("H"), .customLong("header")], parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A header field to send: 'Name: value', or @file with one on each line.", valueName: "header"))
  var headers: [String] = []

  @Option(
    name: .customLong("protocol"), help: ArgumentHelp("A subprotocol to offer; can be given several times.", valueName: "name"))
  var protocols: [String] = []

  @Flag(help: "Sends lines as bytes instead of text, and writes received messages without a line end.")
  var binary = false

  @Flag(help: "Offers compression.")
  var compressed = false

  @Option(
    help: ArgumentHelp(
      "Ends after this number of received messages, and not with the end of the input.", valueName: "number"))
  var maxMessages: Int?

  @Flag(name: [.customShort("k"), .customLong("insecure")], help: "Does not verify the server's certificate.")
  var insecure = false

  @Flag(name: [.customShort("v"), .customLong("verbose")], help: "Shows the handshake's fields, and how the connection ends.")
  var verbose = false

  func validate() throws {
    guard maxMessages ?? 1 > 0 else { throw ValidationError("--max-messages must be at least 1") }
  }

  func run() async throws {
    do {
      try await talk()
    } catch let error as StatusError where error.response.status.code < 400 {
      throw CommandFailure(8, "Not a WebSocket: the server has responded with the status \(error.response.status.code)")
    } catch {
      throw CommandFailure(error)
    }
  }

  private func talk() async throws {
    let socket = try await opened()
    note("* connected\(socket.subprotocol.map { ", subprotocol \($0)" } ?? "")")
    for field in verbose ? Array(socket.headers) : [] { note("< \(field.name): \(field.value)") }
    let inputFailure = Mutex<CommandFailure?>(nil)
    let sender = Task {
      do { try await sendInput(over: socket) } catch  where !(error is WebSocketError || error is CancellationError) {
        inputFailure.withLock {
          $0 = error as? CommandFailure ?? CommandFailure(ExitStatus.readError, "cannot send the input: \(error)")
        }
        await socket.close()
      }
    }
    defer { sender.cancel() }
    do {
      try await show(socket)
    } catch let error as WebSocketError {
      noteEnd(of: socket)
      throw error
    }
    await socket.close()
    noteEnd(of: socket)
    if let failure = inputFailure.withLock({ $0 }) { throw failure }
  }

  private func opened() async throws -> WebSocket {
    try ArgumentBytes.requireUTF8([url] + headers)
    let target = try Target(Connection.withHTTPScheme(url))
    let fields = try HeaderArgument.all(headers)
    let connection = target.connection(over: .curl, [Redirects()])
    var configuration = WebSocket.Configuration()
    configuration.compresses = compressed
    return try await connection.webSocket(protocols: protocols, configuration: configuration) { request in
      request.headers = try request.headers.overridden(by: fields)
      if insecure { request.options.tls.verifiesServer = false }
      if let target = target.rawTarget { request.options.requestTarget = .verbatim(target) }
    }
  }

  /// Sends the lines of the input, and closes the connection at their end, unless a number of messages is awaited.
  private func sendInput(over socket: WebSocket) async throws {
    for try await line in Body.stream(try InputPieces(InputFile(name: "-"))).dataLines(upTo: 16 << 20) {
      if binary {
        try await socket.send(line)
      } else {
        guard let text = String(validating: line, as: UTF8.self) else {
          throw CommandFailure(ExitStatus.readError, "a line of the input is not UTF-8: use --binary")
        }
        try await socket.send(text)
      }
    }
    if maxMessages == nil { await socket.close() }
  }

  private func show(_ socket: WebSocket) async throws {
    var left = maxMessages ?? .max
    for try await message in socket {
      let output = binary ? message.data : Data((message.text ?? message.data.base64EncodedString()).utf8) + Data("\n".utf8)
      do {
        try Descriptor.output.write(output)
      } catch {
        throw CommandFailure(ExitStatus.writeError, "Failure writing output to destination")
      }
      left -= 1
      if left == 0 { return }
    }
  }

  private func noteEnd(of socket: WebSocket) {
    guard let closure = socket.closure else { return note("* closed") }
    let reason = closure.reason.isEmpty ? "" : ": \(closure.reason.escapingControls())"
    note("* closed by the server \(closure.code.map { "with the code \($0)" } ?? "without a code")\(reason)")
  }

  private func note(_ line: String) {
    if verbose { Descriptor.error.say(line.escapingControls()) }
  }
}
