import ArgumentParser
import Faraday

/// `faraday adapters`: what each adapter can do.
struct Adapters: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Shows what each adapter can do, on this machine.")

  @Flag(help: "As the table of the README, which is that of libcurl 8.14 and newer.")
  var markdown = false

  func run() {
    Descriptor.output.say(markdown ? CapabilityTable.withNewEngines.markdown : CapabilityTable().text)
  }
}

/// The capabilities, one in a row, and which adapter has them.
struct CapabilityTable {
  let adapters: [(name: String, capabilities: Capabilities)]

  init(_ adapters: [(name: String, capabilities: Capabilities)]) { self.adapters = adapters }

  /// Of the adapters that `--transport` knows, with the engines of this machine.
  init() { self.init(TransportOptions.Transport.allCases.map { ($0.adapterName, $0.capabilities) }) }

  /// Of the same, with engines that are new enough for all that is done with them.
  static var withNewEngines: CapabilityTable {
    CapabilityTable(
      TransportOptions.Transport.allCases.map { ($0.adapterName, $0 == .curl ? .all : $0.capabilities) })
  }

  /// For a terminal.
  var text: String {
    let rows = [["capability", "is"] + adapters.map(\.name)] + cells
    // Marks of code mean nothing there.
    return TextTable(rows.map { row in row.map { $0.filter { $0 != "`" } } }).leftAligned
  }

  /// For a page.
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
