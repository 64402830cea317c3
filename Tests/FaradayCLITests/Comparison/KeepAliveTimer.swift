import Foundation

/// The kernel's TCP keep-alive timer of a connection from 127.0.0.1 to itself.
enum KeepAliveTimer {
  /// `in 60 s or a little less`, or `none`; the seconds are a multiple of 20. The client must have nothing on its way: while it
  /// does, the timer is another.
  static func text(clientPort: Int, serverPort: Int) -> String {
    let ends = [clientPort, serverPort].map { "0100007F:" + String($0, radix: 16, uppercase: true).leftPadded }
    // The client's data may not have been acknowledged yet, which is a matter of microseconds.
    for _ in 0..<1_000 {
      // The file reports a size of 0, so it must be read to its end.
      guard let table = try? FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp")).readToEnd() else { return "not known" }
      for line in String(decoding: table, as: UTF8.self).split(separator: "\n") {
        let words = line.split(separator: " ")
        guard words.count > 5, words[1...2].elementsEqual(ends, by: ==), words[3] == "01" else { continue }
        let timer = words[5].split(separator: ":")
        if timer[0] == "00" { return "none" }
        guard timer[0] == "02", let hundredths = Int(timer[1], radix: 16) else { break }
        return "in \((hundredths + 1_999) / 2_000 * 20) s or a little less"
      }
    }
    return "not known"
  }
}

extension String {
  fileprivate var leftPadded: String { String(repeating: "0", count: max(0, 4 - count)) + self }
}
