/// Formats rows as a table, with columns as wide as their widest cell.
struct TextTable {
  let rows: [[String]]

  init(_ rows: [[String]]) { self.rows = rows }

  /// First column left-aligned, the others right-aligned, for numbers.
  var text: String { text { $0 == 0 } }

  /// All columns left-aligned.
  var leftAligned: String { text { _ in true } }

  private func text(isLeft: (_ column: Int) -> Bool) -> String {
    let columns: Int = rows.map(\.count).max() ?? 0
    let widths: [Int] = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        let space = String(repeating: " ", count: widths[column] - cell.count)
        return isLeft(column) ? cell + space : space + cell
      }
      var line = cells.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}
