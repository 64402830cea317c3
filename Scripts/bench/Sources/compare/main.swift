import Foundation

// compare [--rounds N] [--quick] [--only NAME] [--json FILE] [--markdown FILE] [--growth FOLDER]: started by `run`.

struct Wishes {
  var rounds: Int?
  var isQuick = false
  var only = ""
  var json = ""
  var markdown = ""
  var growth = ""

  init(_ words: [String]) throws {
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--quick" {
        isQuick = true
        continue
      }
      guard let value = rest.popFirst() else { throw Failed("\(word) needs a value") }
      switch word {
      case "--rounds":
        guard let number = Int(value), number > 0 else { throw Failed("--rounds needs a number") }
        rounds = number
      case "--only": only = value
      case "--json": json = value
      case "--markdown": markdown = value
      case "--growth": growth = value
      default: throw Failed("unknown argument \(word)")
      }
    }
  }
}

/// What a file of results has: every run of every contestant.
struct Results: Encodable {
  struct Entry: Encodable {
    let row, title, unit, contestant: String
    let runs: [Run]
    let median: Double
    let ratioToC, ratioToAsyncHTTPClient: Double?
  }
  let date: String
  let machine: [String: String]
  let entries: [Entry]
}

func compare(_ wishes: Wishes) throws {
  let setup = try Setup()
  let rounds = wishes.rounds ?? 3
  if !wishes.growth.isEmpty { return try Growth(setup: setup, folder: wishes.growth).measure(rounds: rounds) }
  let chosen = rows(setup).filter { wishes.only.isEmpty ? $0.isQuick || !wishes.isQuick : $0.name == wishes.only }
  guard !chosen.isEmpty else {
    throw Failed("no row is named \(wishes.only); there are: \(rows(setup).map(\.name).joined(separator: " "))")
  }
  var comparisons: [Comparison] = []
  for row in chosen {
    let comparison = try Comparison(row, setup, rounds: rounds, quick: wishes.isQuick)
    comparisons.append(comparison)
    // At once, also into a pipe.
    FileHandle.standardOutput.write(Data((comparison.text + "\n").utf8))
    // What a later row breaks off keeps the rows before it.
    if !wishes.markdown.isEmpty { try saveMarkdown(comparisons, to: wishes.markdown) }
    if !wishes.json.isEmpty { try saveJSON(comparisons, to: wishes.json) }
  }
}

func saveMarkdown(_ comparisons: [Comparison], to path: String) throws {
  let text = ([Comparison.markdownHeading] + comparisons.map(\.markdown)).filter { !$0.isEmpty }.joined(separator: "\n") + "\n"
  try text.write(toFile: path, atomically: true, encoding: .utf8)
}

func saveJSON(_ comparisons: [Comparison], to path: String) throws {
  let environment = ProcessInfo.processInfo.environment.filter { $0.key.hasPrefix("BENCH_MACHINE_") }
  let machine = Dictionary(uniqueKeysWithValues: environment.map { ($0.key.dropFirst(14).lowercased(), $0.value) })
  let entries = comparisons.flatMap { comparison in
    comparison.contestants.map { contestant in
      Results.Entry(
        row: comparison.row.name, title: comparison.row.title, unit: comparison.row.unit.rawValue, contestant: contestant.name,
        runs: comparison.runs[contestant] ?? [], median: comparison.figures(contestant).median,
        ratioToC: contestant.program == .faraday ? comparison.ratio(of: contestant, to: [.c]) : nil,
        ratioToAsyncHTTPClient: contestant.program == .faraday
          ? comparison.ratio(of: contestant, to: Contestant.asyncHTTPClient) : nil)
    }
  }
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
  let results = Results(date: Date().formatted(.iso8601), machine: machine, entries: entries)
  try encoder.encode(results).write(to: URL(fileURLWithPath: path))
}

do { try compare(Wishes(Array(CommandLine.arguments.dropFirst()))) } catch {
  FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
  exit(1)
}
