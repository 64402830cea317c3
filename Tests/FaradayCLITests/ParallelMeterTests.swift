import Foundation
import Testing

@testable import FaradayCLI

@Suite struct ParallelMeterTests {
  let folder: TemporaryFolder
  let file: FileHandle

  init() throws {
    folder = try TemporaryFolder()
    file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.write("", to: "terminal")))
  }

  private func meter(shown: Bool = true, rows: Int = 20) -> ParallelMeter {
    ParallelMeter(on: Descriptor(number: file.fileDescriptor), shown: shown, columns: 120, rows: rows)
  }

  /// What stands on the terminal: each drawing goes back over the lines of the one before, and removes them.
  private var lines: [String] {
    var lines: [String] = []
    for part in String(decoding: folder.read("terminal") ?? Data(), as: UTF8.self).split(separator: "\u{1B}[J") {
      var text = part
      if let back = part.firstRange(of: "\u{1B}["), let end = part.lastIndex(of: "A") {
        text = part[..<back.lowerBound]
        lines += text.split(separator: "\n").map(String.init)
        lines.removeLast(Int(part[back.upperBound..<end]) ?? 0)
      } else {
        lines += text.split(separator: "\n").map(String.init)
      }
    }
    return lines
  }

  @Test func `each transfer has its line, and all together have the last`() {
    let meter = meter()
    meter.update(0, "first", .download, 10, of: 100)
    meter.update(1, "second", .download, 20, of: 100)
    meter.end(0)
    #expect(lines.count == 3)
    #expect(lines[0].hasPrefix("first "))
    #expect(lines[1].hasPrefix("second "))
    #expect(lines[2].hasPrefix("total: 1 done, 1 running, 30 "))
    meter.end(1)
    #expect(lines.map { $0.prefix { $0 != " " } } == ["first", "second", "total:"])
    #expect(lines[2].hasPrefix("total: 2 done, 0 running, 30 "))
  }

  @Test func `progress that is late begins no transfer anew`() {
    let meter = meter()
    meter.update(0, "only", .download, 10, of: 100)
    meter.end(0)
    meter.update(0, "only", .download, 10, of: 100)
    meter.update(1, "other", .download, 1, of: nil)
    meter.end(1)
    #expect(lines.last?.hasPrefix("total: 2 done, 0 running, 11 ") == true)
  }

  @Test func `no more lines than fit are drawn, and all transfers count`() {
    let meter = meter(rows: 2)
    for number in 0..<5 { meter.update(number, "t\(number)", .download, 1, of: nil) }
    meter.end(4)
    #expect(lines.map { $0.prefix { $0 != " " } } == ["t4", "t0", "t1", "total:"])
    #expect(lines.last?.hasPrefix("total: 1 done, 4 running, 5 ") == true)
  }

  @Test func `a message stands between the lines and what is drawn later`() throws {
    let meter = meter()
    meter.update(0, "only", .download, 10, of: 100)
    meter.clear()
    try file.write(contentsOf: Data("a message\n".utf8))
    meter.end(0)
    #expect(lines.map { $0.prefix { $0 != " " } } == ["a", "only", "total:"])
  }

  @Test func `without a terminal nothing is drawn`() {
    let meter = meter(shown: false)
    meter.update(0, "only", .download, 10, of: 100)
    meter.end(0)
    #expect(lines.isEmpty)
  }
}
