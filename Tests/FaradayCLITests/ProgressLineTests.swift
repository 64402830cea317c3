import Testing

@testable import FaradayCLI

@Suite struct ProgressLineTests {
  private func line(_ bytes: Int64, of total: Int64?, rate: Double = 1_048_576) -> ProgressLine {
    ProgressLine(direction: .download, bytes: bytes, total: total, rate: rate, elapsed: 3)
  }

  @Test(arguments: [-5, 0, 1, 5, 10, 20, 40, 60, 79, 200])
  func `a line is never wider than it may be`(_ width: Int) {
    for total in [nil, 0, 1 << 40] as [Int64?] {
      for bytes in [0, 1, 1 << 40, Int64.max] {
        #expect(line(bytes, of: total, rate: .infinity).text(width: width).count <= max(0, width))
      }
    }
  }

  @Test func `more bytes than there should be are still 100 percent`() {
    #expect(line(200, of: 100).text(width: 79).hasPrefix("down 100% ["))
    #expect(line(-1, of: 100).fraction == 0)
  }

  @Test func `without a rate nobody knows the time left`() {
    #expect(line(1, of: 100, rate: 0).text(width: 79).hasSuffix("--:-- left"))
  }

  @Test func `an unknown total has bytes and rate only`() {
    #expect(line(3 << 20, of: nil).text(width: 79) == "down 3.0 MiB  1.0 MiB/s")
  }

  @Test func `a known total has percent, bar, bytes, rate and time left`() {
    let text = line(1 << 20, of: 4 << 20).text(width: 61)
    #expect(text == "down  25% [===>         ]     1.0 MiB   1.0 MiB/s   0:03 left")
    #expect(text.count == 61)
  }

  @Test func `a narrow terminal loses the bar first`() {
    #expect(line(1 << 20, of: 4 << 20).text(width: 45) == "down  25%  1.0 MiB  1.0 MiB/s  0:03 left")
    #expect(line(1 << 20, of: 4 << 20).text(width: 20) == "down  25%  1.0 MiB")
  }

  @Test func `the end shows how long it took`() {
    let text = line(100, of: 100).text(width: 79)
    #expect(text.hasSuffix("0:03"))
    #expect(!text.contains(">"))
    #expect(line(0, of: 0).fraction == 1)
  }

  @Test func `the rate starts at once, moves slowly, and ends as the average`() {
    var rate = SmoothedRate()
    rate.add(0, at: 0)
    #expect(rate.bytesPerSecond == 0)
    #expect(rate.average == 0)
    rate.add(100, at: 1)
    #expect(rate.bytesPerSecond == 100)
    rate.add(1100, at: 2)
    #expect(rate.bytesPerSecond > 100 && rate.bytesPerSecond < 1000)
    #expect(rate.average == 550)
  }

  @Test func `pieces that come together do not make a rate`() {
    var rate = SmoothedRate()
    rate.add(0, at: 0)
    rate.add(1 << 20, at: 0.000_001)
    #expect(rate.bytesPerSecond == 0)
  }
}
