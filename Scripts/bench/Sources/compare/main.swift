import Foundation

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

func compare(_ wishes: Wishes, _ setup: Setup) throws {
  let rounds = wishes.rounds ?? 3
  if !wishes.growth.isEmpty { return try Growth(setup: setup, folder: wishes.growth).measure(rounds: rounds) }
  let all = rows(setup)
  if let unknown = wishes.only.first(where: { name in !all.contains { $0.name == name } }) {
    throw Failed("no row is named \(unknown); there are: \(all.map(\.name).joined(separator: " "))", status: 2)
  }
  let chosen = all.filter { wishes.only.isEmpty ? $0.isQuick || !wishes.isQuick : wishes.only.contains($0.name) }
  var comparisons: [Comparison] = []
  for row in chosen {
    let comparison = try Comparison(row, setup, rounds: rounds, quick: wishes.isQuick)
    comparisons.append(comparison)
    // At once, also into a pipe.
    FileHandle.standardOutput.write(Data((comparison.text + "\n").utf8))
    // What a later row breaks off keeps the rows before it.
    if !wishes.markdown.isEmpty { try saveMarkdown(comparisons, wishes, rounds: rounds) }
    if !wishes.json.isEmpty { try saveJSON(comparisons, wishes) }
  }
}

func saveMarkdown(_ comparisons: [Comparison], _ wishes: Wishes, rounds: Int) throws {
  let versions = Machine.properties(wishes).sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  let date = Date().formatted(.iso8601.year().month().day())
  let head = "Medians of \(rounds) rounds on \(date): \(versions).\n"
  let tables = [(Comparison.rateHeading, \Comparison.rates), (Comparison.costHeading, \Comparison.costs)].map { heading, lines in
    ([heading] + comparisons.map { $0[keyPath: lines] }).filter { !$0.isEmpty }.joined(separator: "\n") + "\n"
  }
  try ([head] + tables).joined(separator: "\n").write(toFile: wishes.markdown, atomically: true, encoding: .utf8)
}

func saveJSON(_ comparisons: [Comparison], _ wishes: Wishes) throws {
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
  let results = Results(date: Date().formatted(.iso8601), machine: Machine.properties(wishes), entries: entries)
  try encoder.encode(results).write(to: URL(fileURLWithPath: wishes.json))
}

func run(_ words: [String]) throws {
  if words.contains("-h") || words.contains("--help") { return print(Wishes.help) }
  let wishes = try Wishes(words)
  let programs = try Programs(wishes)
  let others = OtherRows(programs: programs, wishes: wishes)
  if wishes.only == ["json-documents"] { return try others.jsonDocuments() }
  try Setup.with(programs, isUnpinned: wishes.isUnpinned) { setup in
    switch wishes.only {
    case ["build"]: try others.build(setup)
    case ["beside"]: try others.beside(setup)
    case ["checksum"]: try others.checksum(setup)
    default: try compare(wishes, setup)
    }
  }
}

do { try run(Array(CommandLine.arguments.dropFirst())) } catch {
  say("\(error)")
  exit((error as? Failed)?.status ?? 1)
}
