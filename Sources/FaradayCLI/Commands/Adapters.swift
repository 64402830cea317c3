import ArgumentParser
@_spi(Adapters) import Faraday

/// `faraday adapters`: lists the capabilities of each adapter.
struct Adapters: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Lists the capabilities of each adapter on this machine.")

  @Flag(help: "Prints the table of the documentation, which is that of a libcurl with everything.")
  var markdown = false

  func run() {
    Descriptor.output.say(markdown ? CapabilityTable(hasNewEngines: true).markdown : CapabilityTable().text)
  }
}

/// A table with a row for each capability and a column for each adapter.
struct CapabilityTable {
  let adapters: [(name: String, capabilities: Capabilities)]

  init(_ adapters: [(name: String, capabilities: Capabilities)]) { self.adapters = adapters }

  /// Creates a table of the adapters, with the engines of this machine or with engines that have all capabilities.
  init(hasNewEngines: Bool = false) {
    self.init(Transport.allCases.map { ($0.adapterName, hasNewEngines && $0 == .curl ? .all : $0.capabilities) })
  }

  /// The table as plain text.
  var text: String {
    let rows = [["capability", "is"] + adapters.map(\.name)] + cells
    // Plain text has no code marks.
    return TextTable(rows.map { row in row.map { $0.filter { $0 != "`" } } }).leftAligned
  }

  /// The table as Markdown.
  var markdown: String {
    let head = ["capability", "is"] + adapters.map { "`\($0.name)`" }
    let rule = ["---", "---"] + adapters.map { _ in ":-:" }
    let rows = [head, rule] + cells.map { ["`\($0[0])`"] + $0.dropFirst() }
    return rows.map { "| \($0.joined(separator: " | ")) |\n" }.joined()
  }

  private var cells: [[String]] {
    Capabilities.entries.map { entry in
      [entry.name, entry.meaning] + adapters.map { $0.capabilities.contains(entry.capability) ? "yes" : "-" }
    }
  }
}
