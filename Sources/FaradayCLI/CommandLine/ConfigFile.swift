import Faraday
import FaradayCurl

/// A configuration file (`-K`, `.curlrc`) with one option per line, with or without dashes. The value follows a space, `=` or
/// `:`, and is quoted if it has spaces. Lines that begin with `#` are comments.
enum ConfigFile {
  /// The maximum nesting of files.
  private static let maximumDepth = 16

  /// Applies the options of a file; `-` is standard input.
  static func read(_ name: String, into state: inout CommandState) throws {
    guard state.depth < maximumDepth else {
      throw CommandFailure(ExitStatus.readError, "\(name): configuration files are nested too deep")
    }
    let contents: Data
    do {
      contents = try InputFile(name: name).contents()
    } catch {
      throw UsageFailure("cannot read config from '\(name)'", ExitStatus.readError)
    }
    apply(String(decoding: contents, as: UTF8.self), of: name, to: &state)
  }

  /// Applies the first of curl's default files that can be read.
  static func readDefault(into state: inout CommandState) {
    let places = [("CURL_HOME", "/.curlrc"), ("XDG_CONFIG_HOME", "/curlrc"), ("HOME", "/.curlrc"), ("HOME", "/.config/curlrc")]
    for (variable, name) in places {
      guard let path = Environment.variable(variable).map({ $0 + name }),
        let contents = try? InputFile(name: path).contents()
      else { continue }
      return apply(String(decoding: contents, as: UTF8.self), of: path, to: &state)
    }
  }

  /// Applies the options of a text. As with curl, an invalid line only causes a warning.
  static func apply(_ text: String, of name: String, to state: inout CommandState) {
    var parser = CommandLineParser(state)
    parser.state.depth += 1
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (number, line) in lines.enumerated() {
      let start = line.first { !$0.isWhitespace }
      guard start != nil, start != "#" else { continue }
      do {
        guard !line.unicodeScalars.contains("\u{FFFD}") else {
          throw UsageFailure("the line has U+FFFD, or bytes that are not UTF-8")
        }
        guard let (option, value) = words(of: line) else { throw UsageFailure("the line has no option") }
        // An option may lack its dashes.
        _ = try parser.read(option: option.hasPrefix("-") ? option : "--" + option, next: value)
      } catch {
        let reason = CommandFailure(error).message
        parser.state.ownWarnings.append("\(name == "-" ? "<stdin>" : name):\(number + 1): warning: \(reason)")
      }
    }
    parser.state.depth -= 1
    state = parser.state
  }

  /// The option of a line, and its value; nil for a line without an option.
  static func words(of line: Substring) -> (option: String, value: String?)? {
    // An option with dashes ends only at white space: curl has no option `--x=y`.
    let pattern = #/\s*(-\S*|[^#\s][^\s=:]*)[\s=:]*(?:"((?:\\.|[^"\\])*).*|(\S+).*)?/#.dotMatchesNewlines()
    guard let match = line.wholeMatch(of: pattern) else { return nil }
    guard let quoted = match.2 else { return (String(match.1), match.3.map { String($0) }) }
    let escapes: [Substring: String] = ["t": "\t", "n": "\n", "r": "\r", "v": "\u{B}"]
    return (
      String(match.1),
      String(quoted).replacing(#/\\(.)/#) { character -> String in
        escapes[character.1] ?? String(character.1)
      }
    )
  }
}
