import Faraday

/// The format of `-w`: text with `%{variables}`, `%header{names}` and backslash escapes, as in curl 7.88.
struct WriteOut {
  /// A part of the format.
  enum Part: Equatable {
    case text(String)
    case variable(String)
    case header(String)
  }

  /// What is written, and where.
  struct Piece: Equatable {
    enum Stream: Sendable { case output, error }

    let stream: Stream
    var text: String
  }

  let parts: [Part]

  init(_ format: String) {
    var parts: [Part] = []
    var text = ""
    var rest = format[...]
    while let character = rest.popFirst() {
      guard let next = rest.first, character == "%" || character == "\\" else {
        text.append(character)
        continue
      }
      switch (character, next) {
      case ("%", "{"),
        ("%", "h") where rest.hasPrefix("{") || rest.hasPrefix("header{"):
        let isHeader = next == "h"
        rest = rest.dropFirst(isHeader ? "header{".count : 1)
        guard let end = rest.firstIndex(of: "}") else {
          text += isHeader ? "%header{" : "%{"
          continue
        }
        parts += [.text(text), isHeader ? .header(String(rest[..<end])) : .variable(String(rest[..<end]))]
        text = ""
        rest = rest[rest.index(after: end)...]
      case ("%", "%"):
        text += "%"
        rest.removeFirst()
      case ("\\", "n"), ("\\", "r"), ("\\", "t"):
        text += ["n": "\n", "r": "\r", "t": "\t"][next] ?? ""
        rest.removeFirst()
      default:
        text.append(character)
        text.append(next)
        rest.removeFirst()
      }
    }
    self.parts = (parts + [.text(text)]).filter { $0 != .text("") }
  }

  /// The formatted text. An unknown variable is nothing, and a line on standard error.
  func pieces(about report: Report) -> [Piece] {
    var pieces: [Piece] = []
    var stream = Piece.Stream.output
    func add(_ text: String, to stream: Piece.Stream) {
      if pieces.last?.stream == stream {
        pieces[pieces.count - 1].text += text
      } else if !text.isEmpty {
        pieces.append(Piece(stream: stream, text: text))
      }
    }
    for part in parts {
      switch part {
      case .text(let literal): add(literal, to: stream)
      case .header(let name): add(report.response?.headers[named: name] ?? "", to: stream)
      case .variable(let name):
        switch name.lowercased() {
        case "onerror": if report.exitStatus == 0 { return pieces }
        case "stdout": stream = .output
        case "stderr": stream = .error
        case "json": add(WriteOutJSON.object(about: report), to: stream)
        case "header_json": add(WriteOutJSON.headers(of: report.response), to: stream)
        case let known:
          if let variable = WriteOutVariable.named[known] {
            add(variable.value(report).text, to: stream)
          } else {
            add("faraday: unknown --write-out variable: '\(name)'\n", to: .error)
          }
        }
      }
    }
    return pieces
  }

  /// Writes the formatted text to standard output and standard error.
  func write(about report: Report) throws {
    for piece in pieces(about: report) {
      do {
        try (piece.stream == .output ? Descriptor.output : .error).write(piece.text)
      } catch {
        throw CommandFailure(ExitStatus.writeError, "cannot write the output: \(error)")
      }
    }
  }
}

extension HTTPFields {
  /// The value of the first field with this name, whatever the letters' case; nil if there is none, or the name is none.
  subscript(named name: String) -> String? { HTTPField.Name(name).flatMap { self[values: $0].first } }
}
